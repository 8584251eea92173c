"""What a checkout remembers: it survives kills and broken files, and only the student's own checks change it."""

import json
import subprocess
import sys
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from autograder.student.progress import StepProgress, load_progress
from autograder.workspace import Workspace

Attn = Callable[..., CompletedProcess[str]]
FIRST = "part1_simplified"
PASSED = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00")

SAVING = """
import sys
from pathlib import Path

from autograder.student.progress import load_progress
from autograder.workspace import Workspace

workspace = Workspace(Path(sys.argv[1]))
progress = load_progress(workspace)
while True:
    progress.save(workspace)
    print("saved", flush=True)
"""


def note_passed(workspace: Workspace, *steps: str) -> None:
    progress = load_progress(workspace)
    progress.steps.update({f"{FIRST}.{step}": PASSED for step in steps})
    progress.save(workspace)


def append(workspace: Workspace, text: str) -> None:
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(text)


def test_a_check_of_a_step_that_fails_again_changes_what_is_known_of_it_alone(copy: Workspace, attn: Attn) -> None:
    note_passed(copy, "dot_product", "attention_scores")
    attn("check", "1.1")
    passed = [load_progress(copy).passed(f"{FIRST}.{step}") for step in ("dot_product", "attention_scores")]
    assert passed == [False, True]


@pytest.mark.slow
def test_a_kill_amid_saves_never_leaves_half_a_file(copy: Workspace) -> None:
    progress = load_progress(copy)
    progress.steps.update({f"part.step_{number}": PASSED for number in range(10_000)})
    progress.save(copy)
    file = copy.memory / "progress.json"
    with subprocess.Popen([sys.executable, "-c", SAVING, str(copy.root)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        ends = {file.read_bytes()[-2:] for _ in range(500)}  # each of them what a kill at that moment would leave
        process.kill()
    assert ends == {b"}\n"}
    assert len(json.loads(file.read_bytes())["steps"]) == 10_000


def test_a_place_that_cannot_be_written_to_is_told_and_the_marks_are_shown(copy: Workspace, attn: Attn) -> None:
    copy.memory.write_text("a file, where a folder should be")
    found = attn("check", "1.1")
    assert found.returncode == 1
    assert "progress could not be saved" in found.stderr
    assert "dot_product" in found.stdout


def test_the_documented_form_is_the_one_that_is_saved(copy: Workspace, course: Workspace) -> None:
    page = (course.root / "docs" / "reference" / "progress.md").read_text(encoding="utf-8")
    documented = page.partition("```json\n")[2].partition("```")[0]
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text(documented, encoding="utf-8")
    load_progress(copy).save(copy)
    assert (copy.memory / "progress.json").read_text(encoding="utf-8") == documented


# files that cannot be read


UNREADABLE = {
    "cut": b'{"schema": "attn-progress/1", "steps": {',
    "not text": b"\xff\xfe\x00",
    "a list": b"[]",
    "steps of another form": b'{"steps": {"part1_simplified.softmax": {"state": "passed"}}, "hints": {}}',
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_file_is_set_aside(copy: Workspace, content: bytes) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(content)
    assert load_progress(copy).steps == {}
    assert [path.read_bytes() for path in copy.memory.iterdir()] == [content]


def test_a_file_that_cannot_be_read_is_never_taken_for_no_progress(copy: Workspace) -> None:
    (copy.memory / "progress.json").mkdir(parents=True)
    with pytest.raises(OSError, match="progress"):
        load_progress(copy)

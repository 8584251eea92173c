"""What a checkout remembers: it survives kills and broken files, and only the student's own checks change it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_in
from screen_text import one_line

from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.student.progress import StepProgress, load_progress
from autograder.workspace import Workspace

Attn = Callable[..., CompletedProcess[str]]
NewCourse = Callable[..., Workspace]

FIRST = "part1_simplified"
FIFTH = "part5_inference"
DOT_PRODUCT = "\n\ndef dot_product(a, b):\n    return (a * b).sum()\n"
PASSED = StepProgress("passed", 2.0, "2026-11-21T00:00:00+00:00", "")

SAVING = """
import sys
from pathlib import Path

from autograder.student.progress import load_progress
from autograder.workspace import Workspace

progress = load_progress(Workspace(Path(sys.argv[1])))
while True:
    progress.save()
    print("saved", flush=True)
"""


REVEALING = """
import sys
from pathlib import Path

from autograder.student.progress import load_progress
from autograder.workspace import Workspace

progress = load_progress(Workspace(Path(sys.argv[1])))
sys.stdin.readline()
for _ in range(20):
    progress.next_hint("part1_simplified.softmax", 1000)
"""


def note_passed(workspace: Workspace, *steps: str) -> None:
    progress = load_progress(workspace)
    progress.steps |= {f"{FIRST}.{step}": PASSED for step in steps}
    progress.save()


def append(workspace: Workspace, text: str) -> None:
    with workspace.exercise(FIRST).open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture(scope="module")
def checked(new_course: NewCourse) -> Workspace:
    """A course whose first step is solved, after a check."""
    workspace = new_course(part1_simplified=DOT_PRODUCT)
    assert attn_in(workspace, "check").returncode == 1
    return workspace


def test_a_check_is_remembered(checked: Workspace) -> None:
    assert load_progress(checked).passed(f"{FIRST}.dot_product")


def test_an_open_step_is_not_remembered_as_passed(checked: Workspace) -> None:
    assert not load_progress(checked).passed(f"{FIRST}.softmax")


def test_a_passing_step_moves_the_next_one_on(checked: Workspace) -> None:
    assert f"Next: {FIRST}.attention_scores in exercises/{FIRST}.py:" in one_line(overview(checked))


WRONG_SOFTMAX = "def softmax(scores):\n    return scores.exp() / missing\n"


def next_line(printed: str) -> str:
    (line,) = re.findall(r"Next: \S+ in \S+", one_line(printed))
    return line


@pytest.mark.parametrize("text", [WRONG_SOFTMAX, WRONG_SOFTMAX.replace("/", "/ (")], ids=["raises", "cannot be parsed"])
def test_the_overview_names_the_same_next_line_as_the_check_before(new_course: NewCourse, text: str) -> None:
    workspace = new_course(part1_simplified=text)
    checked = next_line(attn_in(workspace, "check", "softmax").stdout)

    assert checked == f"Next: {FIRST}.softmax in exercises/{FIRST}.py:{line_of('missing', workspace)}"
    assert next_line(overview(workspace)) == checked


def line_of(text: str, workspace: Workspace) -> int:
    lines = workspace.exercise(FIRST).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_after_an_edit_the_overview_names_no_line_of_what_was_there_before(new_course: NewCourse) -> None:
    workspace = new_course(part1_simplified=WRONG_SOFTMAX)
    attn_in(workspace, "check", "softmax")
    workspace.exercise(FIRST).write_text(f"\n\n\n{WRONG_SOFTMAX}", encoding="utf-8")
    assert (
        next_line(overview(workspace)) == f"Next: {FIRST}.softmax in exercises/{FIRST}.py:{line_of('def', workspace)}"
    )


def overview(workspace: Workspace) -> str:
    return attn_in(workspace).stdout


@pytest.mark.parametrize(
    "arguments",
    [("check", "1", "--from", "solutions"), ("check", "1", "--exam", "exams/practice.exam")],
    ids=["another folder", "another exam"],
)
def test_marking_something_else_leaves_progress_alone(checked: Workspace, arguments: tuple[str, ...]) -> None:
    file = checked.memory / "progress.json"
    before = file.read_bytes()
    attn_in(checked, *arguments)
    assert file.read_bytes() == before


def test_a_first_look_at_another_folder_leaves_no_file(copy: Workspace, attn: Attn) -> None:
    attn("check", "1.1", "--from", "solutions")
    assert not copy.memory.exists()


def test_naming_the_exercises_by_hand_counts_as_ones_own(copy: Workspace, attn: Attn) -> None:
    append(copy, DOT_PRODUCT)
    attn("check", "1.1", "--from", "exercises")
    assert load_progress(copy).passed(f"{FIRST}.dot_product")


@pytest.fixture(scope="module")
def rechecked(new_course: NewCourse) -> Workspace:
    """A course of stubs whose first two steps were noted as passed, after a check of the first."""
    workspace = new_course()
    note_passed(workspace, "dot_product", "attention_scores")
    attn_in(workspace, "check", "1.1")
    return workspace


def test_a_step_that_fails_again_is_no_longer_passed(rechecked: Workspace) -> None:
    assert not load_progress(rechecked).passed(f"{FIRST}.dot_product")


def test_a_check_of_one_step_keeps_what_is_known_of_others(rechecked: Workspace) -> None:
    assert load_progress(rechecked).passed(f"{FIRST}.attention_scores")


def test_of_a_file_that_cannot_be_loaded_no_step_passes(copy: Workspace, attn: Attn) -> None:
    note_passed(copy, "dot_product")
    copy.exercise(FIRST).write_text("nothing that is Python\n", encoding="utf-8")
    assert attn("check", "1").returncode == 1
    assert not load_progress(copy).passed(f"{FIRST}.dot_product")


def test_a_file_that_has_not_changed_is_not_said_to_have(checked: Workspace) -> None:
    assert "edited since" not in one_line(overview(checked))


def test_a_file_that_changed_since_the_last_check_is_said_to_have(new_course: NewCourse) -> None:
    workspace = new_course()
    note_passed(workspace, "dot_product")
    append(workspace, DOT_PRODUCT)
    assert one_line(overview(workspace)).count("edited since") == 1


@pytest.mark.slow
def test_a_kill_amid_saves_never_leaves_half_a_file(copy: Workspace) -> None:
    progress = load_progress(copy)
    progress.steps = {f"part.step_{number}": PASSED for number in range(10_000)}
    progress.save()
    file = copy.memory / "progress.json"
    with subprocess.Popen([sys.executable, "-c", SAVING, str(copy.root)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        ends = {file.read_bytes()[-2:] for _ in range(500)}  # each of them what a kill at that moment would leave
        process.kill()
    assert ends == {b"}\n"}
    assert len(json.loads(file.read_bytes())["steps"]) == 10_000


def test_what_another_command_has_noted_meanwhile_is_kept(copy: Workspace) -> None:
    begun_before = load_progress(copy)
    note_passed(copy, "dot_product")
    begun_before.next_hint(f"{FIRST}.softmax", 3)
    assert load_progress(copy).passed(f"{FIRST}.dot_product")
    assert load_progress(copy).hints == {f"{FIRST}.softmax": 1}


def test_of_a_cause_one_thing_more_is_told_each_time_until_the_file_is_another(copy: Workspace) -> None:
    progress, step = load_progress(copy), f"{FIRST}.softmax"
    assert [progress.next_rung(step, "one", 2) for _ in range(3)] == [1, 2, 2]
    assert progress.next_rung(step, "another", 2) == 1


def test_what_is_shown_of_a_cause_without_being_asked_for_is_not_told_again(copy: Workspace) -> None:
    progress, step = load_progress(copy), f"{FIRST}.softmax"
    assert [progress.next_rung(step, "one", 3, seen=1) for _ in range(2)] == [2, 3]


def test_what_was_told_of_a_cause_belongs_to_a_file(copy: Workspace) -> None:
    progress, step = load_progress(copy), f"{FIRST}.softmax"
    progress.next_rung(step, "one", 3)
    assert [progress.told({FIRST: file}) for file in ("one", "another")] == [{step: 1}, {}]


@pytest.mark.slow
def test_no_file_is_emptied_to_which_a_link_leads_from_the_lock(copy: Workspace, tmp_path: Path) -> None:
    progress = load_progress(copy)
    progress.path.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "mine.txt").write_text("kept")
    progress.path.with_suffix(".lock").unlink(missing_ok=True)
    progress.path.with_suffix(".lock").symlink_to(tmp_path / "mine.txt")

    progress.next_hint("part1_simplified.softmax", 2)

    assert (tmp_path / "mine.txt").read_text() == "kept"


def test_of_two_commands_that_write_at_once_nothing_is_lost(copy: Workspace) -> None:
    command = [sys.executable, "-c", REVEALING, str(copy.root)]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(2)]
    for process in both:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.close()
    assert [process.wait(60) for process in both] == [0, 0]
    assert load_progress(copy).hints == {f"{FIRST}.softmax": 40}


def test_a_place_that_cannot_be_written_to_is_told_and_the_marks_are_shown(copy: Workspace, attn: Attn) -> None:
    copy.memory.write_text("a file, where a folder should be")
    found = attn("check", "1.1")
    assert found.returncode == 1
    assert "progress could not be saved" in found.stderr
    assert "dot_product" in found.stdout


def test_a_file_that_was_edited_by_hand_counts_as_it_stands(copy: Workspace) -> None:
    note_passed(copy, "dot_product", "softmax")
    file = copy.memory / "progress.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["steps"][f"{FIRST}.softmax"]
    file.write_text(json.dumps(data), encoding="utf-8-sig")  # as Windows' own editor saves
    assert list(load_progress(copy).steps) == [f"{FIRST}.dot_product"]


def test_the_documented_form_is_the_one_that_is_saved(copy: Workspace, course: Workspace) -> None:
    page = (course.root / "docs" / "reference" / "progress.md").read_text(encoding="utf-8")
    documented = page.partition("```json\n")[2].partition("```")[0]
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_text(documented, encoding="utf-8")
    load_progress(copy).save()
    assert (copy.memory / "progress.json").read_text(encoding="utf-8") == documented


# where to go on


def steps_of(practice: Exam, part: str) -> tuple[SyllabusStep, ...]:
    return practice.syllabus.part(part).steps


def next_after(copy: Workspace, practice: Exam, *checked: SyllabusStep) -> str:
    step = load_progress(copy).next_step(practice.syllabus, checked)
    assert step
    return step.path


def test_after_a_part_its_first_open_step_comes_next(copy: Workspace, practice: Exam) -> None:
    fifth = steps_of(practice, FIFTH)
    assert next_after(copy, practice, *fifth) == fifth[0].path


def test_after_a_step_that_is_still_open_it_comes_next_itself(copy: Workspace, practice: Exam) -> None:
    step = steps_of(practice, FIFTH)[3]
    assert next_after(copy, practice, step) == step.path


def test_after_a_step_that_has_passed_comes_the_first_open_one_of_its_part(copy: Workspace, practice: Exam) -> None:
    note_passed(copy, "dot_product", "softmax")
    first = steps_of(practice, FIRST)
    assert next_after(copy, practice, first[2]) == first[1].path


def test_after_a_finished_part_comes_the_first_open_step_of_all(copy: Workspace, practice: Exam) -> None:
    note_passed(copy, *(step.name for step in steps_of(practice, FIRST)))
    assert next_after(copy, practice, *steps_of(practice, FIRST)) == steps_of(practice, "part2_trainable")[0].path


def test_without_a_check_the_part_that_was_checked_last_goes_on(copy: Workspace, practice: Exam) -> None:
    fifth = steps_of(practice, FIFTH)
    progress = load_progress(copy)
    progress.steps = {
        f"{FIRST}.dot_product": StepProgress("wrong_values", 0.0, "2026-11-20T00:00:00+00:00", ""),
        fifth[0].path: PASSED,
    }
    progress.save()
    assert next_after(copy, practice) == fifth[1].path


# files that cannot be read


UNREADABLE = {
    "empty": b"",
    "cut": b'{"schema": "attn-progress/1", "steps": {',
    "not text": b"\xff\xfe\x00",
    "a list": b"[]",
    "null": b"null",
    "without hints": b'{"schema": "attn-progress/1", "steps": {}}',
    "steps of another form": b'{"steps": {"part1_simplified.softmax": {"state": "passed"}}, "hints": {}}',
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_file_is_set_aside(copy: Workspace, content: bytes) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(content)
    assert load_progress(copy).steps == {}
    assert [path.read_bytes() for path in copy.memory.iterdir()] == [content]


def test_it_is_said_once_that_a_file_is_unreadable_and_where_it_is_now(copy: Workspace) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(b"[]")
    told: list[str] = []
    for _ in range(2):
        load_progress(copy, told.append)
    assert told == [
        f"{copy.memory / 'progress.json'} could not be read: it is not a progress file of a course (Expected `object`, "
        "got `array`). It was renamed to progress.unreadable.json. Progress starts again: "
        "steps count when you check them."
    ]


def test_nothing_is_said_where_there_is_no_file_yet(copy: Workspace) -> None:
    told: list[str] = []
    load_progress(copy, told.append)
    assert told == []


def test_a_check_says_that_the_file_is_unreadable_and_shows_the_marks(copy: Workspace, attn: Attn) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(b"precious")
    found = attn("check", "1.1")
    assert "It was renamed to progress.unreadable.json." in one_line(found.stderr)
    assert "dot_product" in found.stdout
    assert attn("check", "1.1").stderr == ""


@pytest.fixture
def forbidden(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A progress file that may not be read, as after `chmod 000`; root, who may read everything, would read it."""
    note_passed(copy, "dot_product")
    file = copy.memory / "progress.json"

    def refuse(path: Path, *_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    return file


def test_a_file_that_may_not_be_read_is_never_written_over(copy: Workspace, forbidden: Path) -> None:
    precious = forbidden.read_bytes()
    with pytest.raises(PermissionError):
        load_progress(copy).next_hint(f"{FIRST}.softmax", 3)
    assert forbidden.read_bytes() == precious


def test_it_is_said_that_a_file_may_not_be_read(copy: Workspace, forbidden: Path) -> None:
    told: list[str] = []
    assert load_progress(copy, told.append).steps == {}
    assert told == [
        f"{forbidden} cannot be used: Permission denied. So your progress cannot be read or saved; `attn doctor` "
        "says what to do."
    ]


def test_a_folder_in_place_of_the_file_is_told_and_the_marks_are_shown(copy: Workspace, attn: Attn) -> None:
    (copy.memory / "progress.json").mkdir(parents=True)
    found = attn("check", "1.1")
    assert "cannot be used: Is a directory." in one_line(found.stderr)
    assert one_line(found.stderr).count("`attn doctor` says what to do") == 1
    assert "dot_product" in found.stdout


def test_an_unreadable_file_is_not_lost_when_progress_is_saved_again(copy: Workspace) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(b"precious")
    load_progress(copy).save()
    assert b"precious" in [path.read_bytes() for path in copy.memory.iterdir()]


def test_a_second_unreadable_file_does_not_replace_the_first(copy: Workspace) -> None:
    copy.memory.mkdir()
    for content in (b"precious", b"precious too"):
        (copy.memory / "progress.json").write_bytes(content)
        load_progress(copy)
    assert {path.read_bytes() for path in copy.memory.iterdir()} == {b"precious", b"precious too"}


def test_the_command_goes_on_after_an_unreadable_file(copy: Workspace, attn: Attn) -> None:
    copy.memory.mkdir()
    (copy.memory / "progress.json").write_bytes(b"precious")
    found = attn()
    assert found.returncode == 0
    assert "Traceback" not in found.stderr


def test_numbers_written_as_text_do_not_stop_the_command(copy: Workspace, attn: Attn) -> None:
    copy.memory.mkdir()
    step = {"verdict": "passed", "score": "2", "checked_at": "", "file": ""}
    data = {"schema": "attn-progress/1", "steps": {f"{FIRST}.dot_product": step}, "hints": {}}
    (copy.memory / "progress.json").write_text(json.dumps(data))
    assert attn().returncode == 0

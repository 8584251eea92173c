"""When a part counts as handed in, where it imports what came with another part."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from autograder.classroom.batch import Batch
from autograder.classroom.class_folder import ClassFolder, Entry
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.handed_in import read_handed_in
from autograder.classroom.part_times import with_what_runs
from autograder.classroom.results import Results
from autograder.exam.model import Exam
from autograder.exam.syllabus import load
from autograder.submission.model import Source, Submission, Urgency
from autograder.workspace import COURSE

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
OF_FIRST = "def dot_product(a, b):\n    return a @ b\n"
OF_SECOND = "def project_qkv(x):\n    return x + 1\n"
IN_TIME, LATER = "2026-10-01 12:00:00 UTC", "2026-11-20 14:00:00+02:00"


def timed(**texts: str) -> Submission:
    """What nbgrader has collected: the first part in time, what comes with the second later. texts: of modules, `tools` with the second."""
    folders = {FIRST: ("ps1", IN_TIME), SECOND: ("ps2", LATER), "tools": ("ps2", LATER)}
    return Submission(
        "ada",
        {name: Source.module(f"ada/{folders[name][0]}/{name}.py", text) for name, text in texts.items()},
        submitted_at={name: folders[name][1] for name in texts},
    )


def times(submission: Submission) -> dict[str, str]:
    counted = with_what_runs(submission, [], [FIRST, SECOND])
    return {part: counted.submitted_at.get(part, "") for part in (FIRST, SECOND) if part in submission.modules}


@pytest.mark.parametrize("text", ["import tools", f"import {SECOND}"])
def test_a_part_is_as_late_as_what_it_imports_of_a_later_hand_in(text: str) -> None:
    submission = timed(**{FIRST: text, SECOND: "x = 1", "tools": "x = 1"})

    assert times(submission) == {FIRST: LATER, SECOND: LATER}
    looks = with_what_runs(submission, [], [FIRST, SECOND]).looks
    assert [(look.urgency, look.part, "ada/ps2/" in look.says) for look in looks] == [(Urgency.CHECK, FIRST, True)]


@pytest.mark.parametrize("text", ["x = 1", '"""as in part2_trainable, with tools"""'])
def test_what_it_does_not_import_makes_no_part_late(text: str) -> None:
    assert times(timed(**{FIRST: text, SECOND: "x = 1", "tools": "x = 1"}))[FIRST] == IN_TIME


# In a class folder of `attn collect`


Gather = Callable[..., Submission]


@pytest.fixture
def gather(tmp_path: Path, practice: Exam) -> Gather:
    """Read what is to be marked of a student, once these downloads of the first part, the second and so on have been collected."""
    return partial(_gather, tmp_path, practice)


def _gather(tmp_path: Path, exam: Exam, *downloads: dict[str, str]) -> Submission:
    out = tmp_path / "class"
    for number, files in enumerate(downloads):
        download = tmp_path / f"download{number}"
        for name, text in files.items():
            (download / name).parent.mkdir(parents=True, exist_ok=True)
            (download / name).write_text(text)
        collect(download, out, PARTS, None, part=(FIRST, SECOND)[number % 2])
    folder = ClassFolder((Entry("roe", out / "roe"),), 0)
    (task,) = Batch(folder, Results(tmp_path / "out"), exam, (FIRST, SECOND), handed_in=read_handed_in(out))._tasks()
    return task.submission


WITH_TOOLS = f"from tools import x\n{OF_FIRST}"


def test_where_the_platform_tells_no_time_a_person_has_to_say_how_late_it_is(gather: Gather) -> None:
    second = {"roe_1_9_part2.py": OF_SECOND, "roe_1_8_tools.py": "x = 1"}
    found = gather({"roe_1_3_part1.py": WITH_TOOLS}, second)

    assert found.submitted_at == {FIRST: "with tools.py of another hand-in, the platform does not tell when"}


def test_a_helper_that_came_with_its_part_makes_nothing_late(gather: Gather) -> None:
    first = {"roe_1_3_part1.py": WITH_TOOLS, "roe_1_4_tools.py": "x = 1"}
    assert gather(first, {"roe_1_9_part2.py": OF_SECOND}).submitted_at == {}


def test_better_work_that_came_with_another_part_does_not_count_at_the_time_of_the_first(gather: Gather) -> None:
    better = f"{OF_FIRST}\n\ndef attention_scores(query, inputs):\n    return inputs @ query\n"
    second = {"roe_1_9_part2.py": OF_SECOND, "roe_1_8_part1_simplified_v2.py": better}
    found = gather({"roe_1_3_part1.py": OF_FIRST}, second)

    assert (found.modules[FIRST].text, found.submitted_at) == (OF_FIRST, {})
    assert [(look.urgency, look.part) for look in found.looks] == [(Urgency.MUST_ACT, FIRST)]

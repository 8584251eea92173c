"""What was marked is kept: a release that is unpacked over an exercise takes nothing away."""

from pathlib import Path

import pytest

from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.student.digests import file_digests
from autograder.student.editing import reset_part, undo_reset
from autograder.student.marked_work import keep
from autograder.student.progress import load_progress
from autograder.workspace import Workspace

PART = SyllabusPart("part1_basics", "Basics", "def first():\n    raise NotImplementedError\n", ())
WORK = "def first():\n    return 1\n"
BACK = "`attn reset part1_basics --undo` puts back part1_basics.py as it was marked before."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def marked(workspace: Workspace, text: str | None, verdict: Verdict, error: str | None = None) -> list[str]:
    """Have a text marked, None for no file; return what is said of it."""
    path = workspace.exercise(PART.name)
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text, encoding="utf-8")
    steps = (StepMarks("first", verdict, float(verdict == Verdict.PASSED), 1.0),)
    marks = Marks("me", "", "", "", 0.0, "none", (PartMarks(PART.name, error, steps),))
    progress, files = load_progress(workspace), file_digests(workspace, [PART.name])
    said = keep(workspace, progress, marks, files)
    progress.record(marks, files)
    return said


@pytest.mark.parametrize(
    ("text", "verdict"), [(PART.stub, Verdict.NOT_ATTEMPTED), (None, Verdict.MISSING)], ids=["a stub", "no file"]
)
def test_work_that_is_gone_is_named_and_can_be_put_back(
    workspace: Workspace, text: str | None, verdict: Verdict
) -> None:
    assert marked(workspace, WORK, Verdict.WRONG_VALUES) == []

    (said,) = marked(workspace, text, verdict)

    assert said == f"first: written before, and not there any more. If you did not mean that, {BACK}"
    undo_reset(workspace, PART)
    assert workspace.exercise(PART.name).read_text(encoding="utf-8") == WORK


def test_it_is_said_once(workspace: Workspace) -> None:
    marked(workspace, WORK, Verdict.PASSED)
    marked(workspace, PART.stub, Verdict.NOT_ATTEMPTED)

    assert marked(workspace, PART.stub, Verdict.NOT_ATTEMPTED) == []


def test_work_in_a_stub_that_came_over_work_does_not_replace_it(workspace: Workspace) -> None:
    marked(workspace, WORK, Verdict.PASSED)
    marked(workspace, PART.stub, Verdict.NOT_ATTEMPTED)
    marked(workspace, "def first():\n    return 2\n", Verdict.WRONG_VALUES)

    undo_reset(workspace, PART)

    assert workspace.exercise(PART.name).read_text(encoding="utf-8") == WORK


def test_a_stub_that_was_put_back_on_purpose_is_nothing_to_tell(workspace: Workspace) -> None:
    marked(workspace, WORK, Verdict.PASSED)
    reset_part(workspace, PART)

    assert marked(workspace, PART.stub, Verdict.NOT_ATTEMPTED) == []

"""Which solutions a student is shown the way to after a pass."""

from pathlib import Path

from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.student.after_a_pass import newly_passed, way_to_solutions
from autograder.student.progress import Progress, StepProgress
from autograder.workspace import Workspace

FIRST = "part1_simplified"


def test_what_passes_and_did_not_is_newly_passed() -> None:
    before = Progress(
        Path(), {f"{FIRST}.{name}": StepProgress(Verdict(was), 0.0, "", "") for name, was in BEFORE.items()}
    )
    verdicts = {"kept": "passed", "cured": "passed", "first": "passed", "wrong": "raised"}
    steps = tuple(StepMarks(name, Verdict(now), 0.0, 1.0) for name, now in verdicts.items())
    marks = Marks("me", "", "", "", 0.0, "none", (PartMarks(FIRST, None, steps),))

    assert newly_passed(before, marks) == [f"{FIRST}.cured", f"{FIRST}.first"]


BEFORE = {"kept": "passed", "cured": "raised", "wrong": "not_attempted"}


def test_one_solution_is_named_and_several_are_counted_as_one_way(course: Workspace) -> None:
    one = f"{FIRST}.softmax"

    assert way_to_solutions(course, [one]) == f"How the reference does it: attn solution {one}"
    assert way_to_solutions(course, [one, f"{FIRST}.dot_product"]) == "How the reference does it: attn solution STEP"


def test_no_way_is_shown_to_nothing_and_to_what_is_not_shipped(course: Workspace, tmp_path: Path) -> None:
    assert way_to_solutions(course, []) == ""
    assert way_to_solutions(Workspace(tmp_path), [f"{FIRST}.softmax"]) == ""

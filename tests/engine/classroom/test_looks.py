"""What there is to look at in a student's marks, and how urgent it is."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.check import check
from autograder.classroom.looks import looks_of
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.results import Check, Marks, PartMarks, StepMarks
from autograder.runner.processes import Runner
from autograder.submission.model import Block, Look, Source, Submission, Urgency

ERROR = "SyntaxError in ada/part1_simplified.py, line 3\n  x = = 1"


def step(verdict: str = "passed") -> StepMarks:
    return StepMarks("softmax", Verdict(verdict), 0.0, 8.0)


def part(*steps: StepMarks, name: str = "part1_simplified", error: str | None = None, notes: str = "") -> PartMarks:
    return PartMarks(name, error, steps, notes=(notes,) if notes else ())


def told(*parts: PartMarks, notes: tuple[str, ...] = (), looks: tuple[Look, ...] = ()) -> list[str]:
    found = looks_of(Marks("ada", "", "", "", 0.0, "none", parts, notes, looks))
    return [f"{look.urgency}: {look.says}" for look in found]


def test_somebody_must_act_on_a_part_that_could_not_be_read() -> None:
    reason = "SyntaxError in ada/part1_simplified.py, line 3"

    assert told(part(step(), error=ERROR)) == [f"must act: part1_simplified could not be read: {reason}"]


def test_where_nothing_could_be_read_the_reason_is_told_once() -> None:
    parts = [part(name=name, error="ada.rar is nothing that can be marked") for name in ("part1", "part2")]

    assert told(*parts) == ["must act: nothing could be read: ada.rar is nothing that can be marked"]


@pytest.mark.parametrize("verdict", ["timed_out", "crashed", "out_of_memory"])
def test_a_step_that_died_is_to_be_checked(verdict: str) -> None:
    words = verdict.replace("_", " ")

    assert told(part(step(), step(verdict))) == [f"check: part1_simplified.softmax {words}"]


def test_a_part_that_died_while_it_was_loaded_is_told_once() -> None:
    assert told(part(step("timed_out"), error="loading it took too long")) == [
        "must act: part1_simplified could not be read: loading it took too long"
    ]


@pytest.mark.parametrize("verdict", ["passed", "not_attempted", "wrong_values", "raised", "forbidden"])
def test_what_the_student_alone_can_mend_needs_no_look(verdict: str) -> None:
    assert told(part(step(verdict))) == []


BROKEN = {"unclosed": "def softmax((scores):\n    return scores\n", "indented": "def softmax(x):\n  y = x\n    z = x\n"}
READ = {"file": Source.module, "notebook": lambda path, text: Source(path, (Block(f"{path}, cell 1", text),), True)}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_a_step_that_cannot_be_parsed_is_to_be_checked(
    text: str, read: Callable[[str, str], Source], practice: Exam, runner: Runner
) -> None:
    steps = practice.syllabus.part("part1_simplified").steps
    wrote = "def dot_product(a, b):\n    return (a * b).sum()\n\n\n"
    submission = Submission("ada", {"part1_simplified": read("part1_simplified.py", wrote + text)})
    marks = check(practice, submission, [one for one in steps if one.name in ("dot_product", "softmax")], runner)

    assert [look.says for look in looks_of(marks)] == ["part1_simplified.softmax cannot be parsed"]


def test_a_step_that_is_only_not_there_needs_no_look() -> None:
    failed = Check("journey", "runs", False, "there is no `softmax` in your file; its name must stay as it is.")

    assert told(part(replace(step("missing"), checks=(failed,)))) == []


def test_a_student_who_handed_in_only_other_parts_needs_no_look() -> None:
    assert told() == []


def test_what_cost_nothing_is_told() -> None:
    noted = part(step(), notes="In ada/part1_simplified.py, line 9 raised NameError.\nand more")

    assert told(noted, notes=("ada/hw.py was taken for part1_simplified.",)) == [
        "told: ada/hw.py was taken for part1_simplified.",
        "told: In ada/part1_simplified.py, line 9 raised NameError.",
    ]


def test_a_note_that_is_more_than_told_is_not_told_again() -> None:
    note = "ada/a.py was marked, not ada/b.py, which holds work too."

    assert told(notes=(note,), looks=(Look(Urgency.MUST_ACT, note),)) == [f"must act: {note}"]


def test_the_most_urgent_comes_first() -> None:
    looks = (Look(Urgency.CHECK, "ada.py mentions `gc`"), Look(Urgency.MUST_ACT, "Which?"))

    assert told(part(step("crashed")), notes=("kindly",), looks=looks) == [
        "must act: Which?",
        "check: ada.py mentions `gc`",
        "check: part1_simplified.softmax crashed",
        "told: kindly",
    ]

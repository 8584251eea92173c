"""What there is to look at in a student's marks, and how urgent it is."""

from collections.abc import Callable

import pytest

from autograder.check import check
from autograder.classroom.looks import looks_of
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.results import Marks, PartMarks, StepMarks
from autograder.runner.processes import Runner
from autograder.submission.model import Block, Look, Source, Submission, Urgency


def step(verdict: str = "passed") -> StepMarks:
    return StepMarks("softmax", Verdict(verdict), 0.0, 8.0)


def part(*steps: StepMarks, name: str = "part1_simplified", error: str | None = None, notes: str = "") -> PartMarks:
    return PartMarks(name, error, steps, notes=(notes,) if notes else ())


def told(*parts: PartMarks, notes: tuple[str, ...] = (), looks: tuple[Look, ...] = ()) -> list[str]:
    found = looks_of(Marks("ada", "", "", "", 0.0, "none", parts, notes, looks))
    return [f"{look.urgency}: {look.says}" for look in found]


@pytest.mark.parametrize("verdict", ["timed_out", "crashed", "out_of_memory"])
def test_a_step_that_died_is_to_be_checked(verdict: str) -> None:
    words = verdict.replace("_", " ")

    assert told(part(step(), step(verdict))) == [f"check: part1_simplified.softmax {words}"]


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


CALLS = {
    "directly": "def simplified_self_attention(x):\n    return softmax(x @ x.T) @ x\n",
    "by a helper": "def weights(x):\n    return softmax(x)\n\n"
    "def simplified_self_attention(x):\n    return weights(x @ x.T) @ x\n",
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_the_steps_that_call_what_cannot_be_parsed_are_named_with_it(
    text: str, read: Callable[[str, str], Source], practice: Exam, runner: Runner
) -> None:
    steps = practice.syllabus.part("part1_simplified").steps
    wrote = f"{BROKEN['unclosed']}\n\n{text}\n\ndef context_vector(a, b):\n    raise ValueError\n"
    submission = Submission("ada", {"part1_simplified": read("part1_simplified.py", wrote)})
    called = ("softmax", "context_vector", "simplified_self_attention")
    marks = check(practice, submission, [one for one in steps if one.name in called], runner)

    says = "part1_simplified.softmax cannot be parsed, which also costs part1_simplified.simplified_self_attention"
    assert [look.says for look in looks_of(marks)] == [says]


def test_the_most_urgent_comes_first() -> None:
    looks = (Look(Urgency.CHECK, "ada.py mentions `gc`"), Look(Urgency.MUST_ACT, "Which?"))

    assert told(part(step("crashed")), notes=("kindly",), looks=looks) == [
        "must act: Which?",
        "check: ada.py mentions `gc`",
        "check: part1_simplified.softmax crashed",
        "told: kindly",
    ]

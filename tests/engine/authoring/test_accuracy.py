"""The measurement of the grader: a survivor, a refused alternative and a misnamed mistake are found."""

import dataclasses
from pathlib import Path

import pytest
from tiny_course import NAME, TinyCourse
from warm import lend_worker

from autograder.authoring.accuracy import (
    Accuracy,
    _try_alternatives,
    _try_mistakes,
    _try_mutants,
    measure,
    read_equivalents,
)
from autograder.course.errors import BrokenCourse
from autograder.exam.model import Exam
from autograder.runner.processes import Runner
from autograder.workspace import Workspace

FIRST = "part1_simplified"
STEP = f"{NAME}.scores"

WAS, BECOMES = "return (keys * query).sum(dim=1)", "return (keys * query).sum(dim=-1)"
LISTED = {(STEP, WAS, BECOMES): "The last of two."}
"""The mutant of a sum over the last of two dimensions that answers as it does."""


def _ignore(_: str) -> None:
    pass


# Mutants


@pytest.fixture
def summed(tiny: TinyCourse) -> Exam:
    """The exam of a course some of whose mutants are right all the same."""
    tiny.edit(tiny.reference, "return keys @ query", WAS)
    return tiny.make()


def _mutants_tried(
    course: Workspace, runner: Runner, exam: Exam, equivalent: dict[tuple[str, str, str], str]
) -> Accuracy:
    (part, *_) = exam.syllabus.parts
    accuracy = Accuracy(part.name)
    _try_mutants(accuracy, course, runner, exam, part, equivalent, _ignore)
    return accuracy


@pytest.mark.slow
def test_every_mutant_of_part_1_is_caught_or_listed(course: Workspace, practice: Exam) -> None:
    own = read_equivalents(FIRST, course.root / "course" / FIRST / "equivalent.toml")
    accuracy = _mutants_tried(course, lend_worker(), practice, own)
    assert accuracy.problems == []
    assert accuracy.mutants == accuracy.caught + accuracy.equivalent > 100


def test_a_mutant_that_passes_and_is_listed_is_no_problem(tiny: TinyCourse, runner: Runner, summed: Exam) -> None:
    accuracy = _mutants_tried(tiny.workspace, runner, summed, LISTED)
    assert accuracy.problems == []
    assert accuracy.equivalent == 1
    assert accuracy.mutants == accuracy.caught + 1 > 30


def test_a_survivor_that_is_not_listed_is_found(tiny: TinyCourse, runner: Runner, summed: Exam) -> None:
    accuracy = _mutants_tried(tiny.workspace, runner, summed, {})
    assert accuracy.problems == [f"{STEP}: a mutant passes: `{WAS}` became `{BECOMES}`"]
    assert accuracy.passing == [(STEP, WAS, BECOMES)]


def test_a_listed_mutant_that_is_caught_is_found(tiny: TinyCourse, runner: Runner, summed: Exam) -> None:
    caught = "return (keys / query).sum(dim=-1)"
    accuracy = _mutants_tried(tiny.workspace, runner, summed, {**LISTED, (STEP, WAS, caught): "No reason."})
    assert accuracy.problems == [f"{STEP}: listed as equivalent, but no mutant that passes: `{WAS}` became `{caught}`"]


def test_a_grader_that_looks_at_one_case_only_lets_mutants_through(
    tiny: TinyCourse, runner: Runner, summed: Exam
) -> None:
    lazy = tuple(case for case in summed.paper.cases if case.name in ("random", "batch"))
    key = {case.path: summed.key.cases[case.path] for case in lazy}
    exam = dataclasses.replace(
        summed,
        paper=dataclasses.replace(summed.paper, cases=lazy),
        key=dataclasses.replace(summed.key, cases=key),
    )
    assert _mutants_tried(tiny.workspace, runner, exam, LISTED).problems != []


@pytest.mark.parametrize(
    "text", ["equivalent = 3", "[[equivalent]]\nmutants = []", '[[equivalent]]\nreason = ""\nmutants = []', "not toml"]
)
def test_a_list_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "equivalent.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenCourse, match=r"equivalent\.toml cannot be read"):
        read_equivalents(NAME, path)


def test_steps_that_the_practice_exam_does_not_know_are_told(tiny: TinyCourse, runner: Runner) -> None:
    tiny.edit(tiny.reference, "def scores(", "def scoers(")
    with pytest.raises(BrokenCourse, match="has other steps than the practice exam: run `attn sync`"):
        next(measure(tiny.workspace, runner, _ignore))


# Alternatives


def _alternatives_tried(tiny: TinyCourse, runner: Runner, exam: Exam) -> list[str]:
    accuracy = Accuracy(NAME)
    _try_alternatives(accuracy, tiny.workspace, runner, exam, exam.syllabus.part(NAME), _ignore)
    return accuracy.problems


def _write_more(tiny: TinyCourse, text: str) -> None:
    tiny.alternatives.write_text(tiny.alternatives.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_refused_alternative_is_found(tiny: TinyCourse, tiny_exam: Exam, runner: Runner) -> None:
    _write_more(tiny, "\n\n# %% scores: wrong\ndef scores(query, keys):\n    return keys - query\n")
    (problem,) = _alternatives_tried(tiny, runner, tiny_exam)
    assert problem.startswith(f"{STEP}: refused, though right (wrong): wrong_shape (random: ")


# Mistakes


def test_a_misnamed_mistake_is_found(tiny: TinyCourse, tiny_exam: Exam, runner: Runner) -> None:
    first, second, *_ = tiny_exam.key.known_wrong[STEP]
    swapped = dataclasses.replace(first, signature=second.signature)
    exam = dataclasses.replace(tiny_exam, key=dataclasses.replace(tiny_exam.key, known_wrong={STEP: (swapped,)}))
    accuracy = Accuracy(NAME)
    _try_mistakes(accuracy, tiny.workspace, runner, exam, exam.syllabus.part(NAME), _ignore)
    assert (accuracy.mistakes, accuracy.named) == (1, 0)
    assert accuracy.problems[0].startswith(f"{STEP}: {first.id} is not named: ")

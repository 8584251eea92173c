"""The measurement of the grader: a survivor, a refused alternative and a misnamed mistake are found."""

import dataclasses
from pathlib import Path

import pytest

from autograder.exam.model import Exam
from autograder.exam.reference import BrokenReference
from autograder.exam.syllabus import SyllabusPart
from autograder.publishing.accuracy import (
    Accuracy,
    _try_alternatives,
    _try_mistakes,
    _try_mutants,
    measure,
    read_equivalents,
)
from autograder.sitting.processes import Sitter
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

PART = "part1_simplified"


def _ignore(_: str) -> None:
    pass


@pytest.fixture
def part(practice: Exam) -> SyllabusPart:
    return practice.syllabus.part(PART)


def _mutants_tried(
    course: Workspace, sitter: Sitter, exam: Exam, equivalent: dict[tuple[str, str, str], str]
) -> Accuracy:
    accuracy = Accuracy(PART)
    _try_mutants(accuracy, course, sitter, exam, exam.syllabus.part(PART), equivalent, _ignore)
    return accuracy


def _listed(course: Workspace) -> dict[tuple[str, str, str], str]:
    listed = read_equivalents(course.solutions / "equivalent_mutants.toml")
    return {key: reason for key, reason in listed.items() if key[0].startswith(f"{PART}.")}


# Mutants


def test_every_mutant_of_part_1_is_caught_or_listed(course: Workspace, sitter: Sitter, practice: Exam) -> None:
    accuracy = _mutants_tried(course, sitter, practice, _listed(course))
    assert accuracy.problems == []
    assert accuracy.mutants == accuracy.caught + accuracy.equivalent > 100


def test_a_survivor_that_is_not_listed_is_found(course: Workspace, sitter: Sitter, practice: Exam) -> None:
    listed = _listed(course)
    path, was, becomes = key = next(iter(listed))
    del listed[key]
    accuracy = _mutants_tried(course, sitter, practice, listed)
    assert accuracy.problems == [f"{path}: a mutant passes: `{was}` became `{becomes}`"]


def test_a_listed_mutant_that_is_caught_is_found(course: Workspace, sitter: Sitter, practice: Exam) -> None:
    stale = (f"{PART}.dot_product", "return (a * b).sum()", "return (a / b).sum()")
    accuracy = _mutants_tried(course, sitter, practice, {**_listed(course), stale: "No reason."})
    assert accuracy.problems == [
        f"{PART}.dot_product: listed as equivalent, but no mutant that passes: "
        "`return (a * b).sum()` became `return (a / b).sum()`"
    ]


def test_a_grader_that_looks_at_one_case_only_lets_mutants_through(
    course: Workspace, sitter: Sitter, practice: Exam
) -> None:
    lazy = tuple(case for case in practice.paper.cases if case.name in ("journey", "lecture"))
    key = {case.path: practice.key.cases[case.path] for case in lazy}
    exam = dataclasses.replace(
        practice,
        paper=dataclasses.replace(practice.paper, cases=lazy),
        key=dataclasses.replace(practice.key, cases=key),
    )
    assert _mutants_tried(course, sitter, exam, _listed(course)).problems != []


def test_every_listed_mutant_has_a_reason_of_its_own_kind(course: Workspace) -> None:
    reasons = read_equivalents(course.solutions / "equivalent_mutants.toml").values()
    assert all(len(reason) > 20 for reason in reasons)


@pytest.mark.parametrize("text", ["equivalent = 3", "[[equivalent]]\nmutants = []", "not toml", ""])
def test_a_list_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "equivalent_mutants.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenReference, match=r"equivalent_mutants\.toml cannot be read"):
        read_equivalents(path)


def test_steps_that_the_practice_exam_does_not_know_are_told(copy: Workspace, sitter: Sitter) -> None:
    path = copy.solutions / f"{PART}.py"
    path.write_text(path.read_text(encoding="utf-8").replace("def softmax(", "def softermax("), encoding="utf-8")
    with pytest.raises(BrokenReference, match="has other steps than the practice exam: run `attn sync`"):
        next(measure(copy, sitter, _ignore))


# Alternatives


def _alternatives_tried(copy: Workspace, sitter: Sitter, exam: Exam, part: SyllabusPart) -> list[str]:
    accuracy = Accuracy(PART)
    _try_alternatives(accuracy, copy, sitter, exam, part, _ignore)
    return accuracy.problems


def _write_more(copy: Workspace, text: str) -> None:
    path = copy.solutions / "alternatives" / f"{PART}.py"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_refused_alternative_is_found(copy: Workspace, sitter: Sitter, practice: Exam, part: SyllabusPart) -> None:
    _write_more(copy, "\n\n# %% dot_product: wrong\ndef dot_product(a, b):\n    return a - b\n")
    (problem,) = _alternatives_tried(copy, sitter, practice, part)
    assert problem.startswith(f"{PART}.dot_product: refused, though right (wrong): wrong_shape (journey: ")


def test_an_alternative_of_no_step_is_found(
    copy: Workspace, sitter: Sitter, practice: Exam, part: SyllabusPart
) -> None:
    _write_more(copy, "\n\n# %% dot_produkt: misspelt\ndef dot_produkt(a, b):\n    return a @ b\n")
    assert _alternatives_tried(copy, sitter, practice, part) == [
        f"{PART}.dot_produkt: there is no such step, but an alternative (misspelt)"
    ]


def test_a_step_with_too_few_alternatives_is_found(
    copy: Workspace, sitter: Sitter, practice: Exam, part: SyllabusPart
) -> None:
    path = copy.solutions / "alternatives" / f"{PART}.py"
    header, *cells = path.read_text(encoding="utf-8").split("# %% ")
    kept = [cell for cell in cells if not cell.startswith("softmax")]
    path.write_text("# %% ".join([header, *kept]), encoding="utf-8")
    assert _alternatives_tried(copy, sitter, practice, part) == [f"{PART}.softmax: 0 alternatives; write at least 3"]


# Mistakes


def test_a_misnamed_mistake_is_found(sitter: Sitter, practice: Exam, part: SyllabusPart) -> None:
    path = f"{PART}.dot_product"
    first, second, *_ = practice.key.fingerprints[path]
    swapped = dataclasses.replace(first, answers=second.answers)
    exam = dataclasses.replace(practice, key=dataclasses.replace(practice.key, fingerprints={path: (swapped,)}))
    accuracy = Accuracy(PART)
    _try_mistakes(accuracy, sitter, exam, part, _ignore)
    assert (accuracy.mistakes, accuracy.named) == (1, 0)
    assert accuracy.problems[0].startswith(f"{path}: {first.id} is not named: ")

"""What is made from the source: drift is found, stale files are made anew, and nobody's work is overwritten."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from autograder.course.answer import Answer, TensorValue
from autograder.course.model import Tolerance
from autograder.course.parts import NAMES
from autograder.exam.files import write_exam
from autograder.exam.model import Exam, Fingerprint, KeyCase, PaperCase
from autograder.publishing import sync
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

PART = "part1_simplified"
CASE = "part1_simplified.dot_product.random"
STEP = "part1_simplified.dot_product"


def _problems(products: list[sync.Product]) -> dict[str, str]:
    return {product.path.name: product.problem for product in products if product.problem}


def _edit_solution(workspace: Workspace, old: str, new: str) -> None:
    path = workspace.solutions / f"{PART}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _content(workspace: Workspace) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}


# The checkout


def test_nothing_in_the_checkout_has_drifted_from_the_source(course: Workspace) -> None:
    assert _problems(sync.check(course)) == {}


def test_stubs_syllabus_shapes_and_practice_exam_are_looked_at(course: Workspace) -> None:
    assert [product.path for product in sync.check(course)] == [
        *(course.exercise(part) for part in NAMES),
        course.syllabus,
        course.shapes,
        course.practice_exam,
    ]


# check


@pytest.mark.slow
def test_another_text_in_a_solution_makes_stub_syllabus_and_exam_drift(copy: Workspace) -> None:
    _edit_solution(copy, "Return the weighted sum of the rows", "Return the weighted mean of the rows")
    assert _problems(sync.check(copy)) == {
        f"{PART}.py": "differs from what the source makes",
        "syllabus.json": "differs from what the source makes",
        "practice.exam": "holds another syllabus than the source makes",
    }


def test_another_answer_of_a_solution_makes_the_exam_drift_and_names_the_case(copy: Workspace) -> None:
    _edit_solution(copy, "return (a * b).sum()", "return (a * b).sum() + 1")
    problem = "expects something else of part1_simplified.dot_product.journey than the source makes"
    assert _problems(sync.check(copy)) == {"practice.exam": problem}


def test_another_name_in_a_solution_makes_the_shapes_drift_alone(copy: Workspace) -> None:
    _edit_solution(copy, "shifted", "moved")
    assert _problems(sync.check(copy)) == {"shapes.json": "differs from what the source makes"}


def test_a_made_file_that_is_missing_is_told(copy: Workspace) -> None:
    copy.exercise(PART).unlink()
    assert _problems(sync.check(copy)) == {f"{PART}.py": "does not exist"}


@pytest.mark.slow
def test_check_writes_nothing(copy: Workspace) -> None:
    copy.exercise(PART).write_text("# mine\n", encoding="utf-8")
    before = _content(copy)
    sync.check(copy)
    assert _content(copy) == before


# sync


@pytest.mark.slow
def test_after_sync_nothing_has_drifted(copy: Workspace) -> None:
    _edit_solution(copy, "Return the weighted sum of the rows", "Return the weighted mean of the rows")
    sync.sync(copy)
    assert _problems(sync.check(copy)) == {}


def test_sync_makes_a_stale_stub_anew(copy: Workspace) -> None:
    _edit_solution(copy, "Return the weighted sum of the rows", "Return the weighted mean of the rows")
    assert _problems(sync.sync(copy)) == {}
    assert "Return the weighted mean of the rows" in copy.exercise(PART).read_text(encoding="utf-8")


@pytest.mark.slow
def test_sync_leaves_an_exercise_alone_that_somebody_has_written_in(copy: Workspace) -> None:
    exercise = copy.exercise(PART)
    written = exercise.read_text(encoding="utf-8") + "\n# mine: √d\n"
    exercise.write_text(written, encoding="utf-8")
    _edit_solution(copy, "Return the weighted sum of the rows", "Return the weighted mean of the rows")
    sync.sync(copy)
    assert exercise.read_text(encoding="utf-8") == written


def test_sync_says_which_exercise_it_left_alone_and_how_to_get_the_stub(copy: Workspace) -> None:
    copy.exercise(PART).write_text("# mine\n", encoding="utf-8")
    problems = _problems(sync.sync(copy))
    assert problems.keys() == {f"{PART}.py"}
    assert "has been written in" in problems[f"{PART}.py"]
    assert f"attn reset {PART}" in problems[f"{PART}.py"]


def test_sync_makes_the_other_files_beside_an_exercise_that_it_leaves_alone(copy: Workspace) -> None:
    copy.exercise(PART).write_text("# mine\n", encoding="utf-8")
    copy.exercise("part2_trainable").unlink()
    sync.sync(copy)
    assert copy.exercise("part2_trainable").exists()


@pytest.mark.slow
def test_sync_makes_what_is_missing(copy: Workspace) -> None:
    for path in (copy.exercise(PART), copy.syllabus, copy.shapes, copy.practice_exam):
        path.unlink()
    sync.sync(copy)
    assert _problems(sync.check(copy)) == {}


@pytest.mark.slow
def test_sync_puts_an_exam_in_the_place_of_a_file_that_is_none(copy: Workspace) -> None:
    copy.practice_exam.write_bytes(b"not an exam")
    sync.sync(copy)
    assert _problems(sync.check(copy)) == {}


def test_sync_changes_no_byte_of_what_has_not_drifted(copy: Workspace) -> None:
    before = _content(copy)
    sync.sync(copy)
    assert _content(copy) == before


# Drift of the practice exam


def _moved(value: object) -> object:
    if isinstance(value, TensorValue) and value.array is not None:
        return dataclasses.replace(value, array=value.array + 1)
    return value


def _answer(answer: Answer) -> Answer:
    return dataclasses.replace(answer, outputs={name: _moved(value) for name, value in answer.outputs.items()})


def _with_case(exam: Exam, change: Callable[[KeyCase], KeyCase]) -> Exam:
    cases = {**exam.key.cases, CASE: change(exam.key.cases[CASE])}
    return dataclasses.replace(exam, key=dataclasses.replace(exam.key, cases=cases))


def _with_fingerprints(exam: Exam, change: Callable[[Fingerprint], Fingerprint]) -> Exam:
    known: Mapping[str, tuple[Fingerprint, ...]] = exam.key.fingerprints
    changed = {**known, STEP: tuple(change(one) for one in known[STEP])}
    return dataclasses.replace(exam, key=dataclasses.replace(exam.key, fingerprints=changed))


def _with_paper(exam: Exam, change: Callable[[PaperCase], PaperCase]) -> Exam:
    cases = tuple(change(case) if case.path == CASE else case for case in exam.paper.cases)
    return dataclasses.replace(exam, paper=dataclasses.replace(exam.paper, cases=cases))


def _other_inputs(case: PaperCase) -> PaperCase:
    inputs = {name: value[::-1] if isinstance(value, np.ndarray) else value for name, value in case.inputs.items()}
    return dataclasses.replace(case, inputs=inputs)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param(
            lambda exam: _with_case(exam, lambda case: dataclasses.replace(case, expected=_answer(case.expected))),
            f"expects something else of {CASE}",
            id="an expected number",
        ),
        pytest.param(
            lambda exam: _with_paper(exam, lambda case: dataclasses.replace(case, name="renamed")),
            "has other cases",
            id="a case's name",
        ),
        pytest.param(
            lambda exam: _with_fingerprints(exam, lambda one: dataclasses.replace(one, says="something else")),
            "knows other mistakes",
            id="what a mistake's teacher says",
        ),
        pytest.param(
            lambda exam: _with_fingerprints(
                exam,
                lambda one: dataclasses.replace(one, answers={path: _answer(a) for path, a in one.answers.items()}),
            ),
            "has another fingerprint of products_not_summed",
            id="a fingerprint",
        ),
        pytest.param(
            lambda exam: _with_case(exam, lambda case: dataclasses.replace(case, tolerance=Tolerance(0.5, 0.5))),
            CASE,
            id="a tolerance",
        ),
        pytest.param(
            lambda exam: _with_paper(exam, _other_inputs),
            CASE,
            id="a case's inputs",
        ),
        pytest.param(
            lambda exam: _with_paper(exam, lambda case: dataclasses.replace(case, gradients=not case.gradients)),
            CASE,
            id="whether a case goes backward",
        ),
    ],
)
def test_a_practice_exam_drifts_by(
    practice: Exam, copy: Workspace, change: Callable[[Exam], Exam], problem: str
) -> None:
    write_exam(change(practice), copy.practice_exam)
    assert problem in sync._drift_of_exam(copy.practice_exam, practice)


def test_a_practice_exam_does_not_drift_by_the_last_digit_of_a_number(practice: Exam, copy: Workspace) -> None:
    def nudge(case: KeyCase) -> KeyCase:
        outputs = {
            name: dataclasses.replace(value, array=np.nextafter(value.array, np.inf, dtype=value.array.dtype))
            for name, value in case.expected.outputs.items()
            if isinstance(value, TensorValue) and value.array is not None
        }
        return dataclasses.replace(case, expected=dataclasses.replace(case.expected, outputs=outputs))

    write_exam(_with_case(practice, nudge), copy.practice_exam)
    assert sync._drift_of_exam(copy.practice_exam, practice) == ""


def test_a_practice_exam_that_is_missing_has_drifted(practice: Exam, tmp_path: Path) -> None:
    assert "there is no exam" in sync._drift_of_exam(tmp_path / "no.exam", practice)

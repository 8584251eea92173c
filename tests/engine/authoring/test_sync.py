"""What is made from the source: drift is found, stale files are made anew, and nobody's work is overwritten.

That nothing in the checkout has drifted, `test_verification` looks at.
"""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from command import attn_in
from tiny_course import NAME, TinyCourse

from autograder.authoring import sync
from autograder.course.answer import Answer, TensorValue
from autograder.course.model import Tolerance
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam, Fingerprint, GeneratedMistake, KeyCase, PaperCase
from autograder.workspace import Workspace

OTHER = "part1_other"
STEP = f"{NAME}.scores"
CASE = f"{STEP}.random"
CHANGED = "Return the products."


def _problems(products: list[sync.Product]) -> dict[str, str]:
    return {product.path.name: product.problem for product in products if product.problem}


def _content(workspace: Workspace) -> dict[Path, bytes]:
    files = (path for path in workspace.root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path: path.read_bytes() for path in files}


# check


def test_stubs_syllabus_stylesheets_and_practice_exam_are_looked_at(tiny: TinyCourse) -> None:
    made = tiny.workspace
    styles = [made.root / "docs" / "stylesheets" / name for name in ("lectures.css", "pictures.css")]
    products = sync.check(made)
    assert [product.path for product in products] == [tiny.exercise, made.syllabus, *styles, made.practice_exam]
    assert _problems(products) == {}


def test_another_text_in_a_solution_makes_stub_syllabus_and_exam_drift(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    assert _problems(sync.check(tiny.workspace)) == {
        f"{NAME}.py": "differs from what the source makes",
        "syllabus.json": "differs from what the source makes",
        "practice.exam": "holds another syllabus than the source makes",
    }


def test_another_answer_of_a_solution_makes_the_exam_drift_and_names_the_case(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return keys @ query", "return keys @ query + 1")
    problem = f"expects another answer to {CASE} than the source makes"
    assert _problems(sync.check(tiny.workspace)) == {"practice.exam": problem}


def test_another_way_in_a_solution_makes_the_exam_drift(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "return keys @ query", "return (keys * 1) @ query")
    problem = f"knows another way to {CASE} than the source takes"
    assert _problems(sync.check(tiny.workspace)) == {"practice.exam": problem}


def test_a_made_file_that_is_missing_is_told(tiny: TinyCourse) -> None:
    tiny.exercise.unlink()
    assert _problems(sync.check(tiny.workspace)) == {f"{NAME}.py": "does not exist"}


def test_check_writes_nothing(tiny: TinyCourse) -> None:
    tiny.exercise.write_text("# mine\n", encoding="utf-8")
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    before = _content(tiny.workspace)
    sync.check(tiny.workspace)
    assert _content(tiny.workspace) == before


# sync


def test_another_title_makes_the_readme_drift_until_sync_writes_it_there(tiny: TinyCourse) -> None:
    readme = tiny.workspace.root / "README.md"
    readme.write_text("# Another title\n\n# More\n", encoding="utf-8")
    assert _problems(sync.check(tiny.workspace)) == {"README.md": "differs from what the source makes"}

    sync.sync(tiny.workspace)

    assert readme.read_text(encoding="utf-8") == "# Tiny\n\n# More\n"


def test_after_sync_nothing_has_drifted(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    sync.sync(tiny.workspace)
    assert _problems(sync.check(tiny.workspace)) == {}


def test_sync_makes_a_stale_stub_anew(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    assert _problems(sync.sync(tiny.workspace)) == {}
    assert CHANGED in tiny.exercise.read_text(encoding="utf-8")


def test_sync_leaves_an_exercise_alone_that_somebody_has_written_in(tiny: TinyCourse) -> None:
    written = tiny.exercise.read_text(encoding="utf-8") + "\n# mine: √d\n"
    tiny.exercise.write_text(written, encoding="utf-8")
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    sync.sync(tiny.workspace)
    assert tiny.exercise.read_text(encoding="utf-8") == written


def test_sync_says_which_exercise_it_left_alone_and_how_to_get_the_stub(tiny: TinyCourse) -> None:
    tiny.exercise.write_text("# mine\n", encoding="utf-8")
    problems = _problems(sync.sync(tiny.workspace))
    assert problems.keys() == {f"{NAME}.py"}
    assert "has been edited" in problems[f"{NAME}.py"]
    assert f"attn reset {NAME}" in problems[f"{NAME}.py"]


def test_sync_makes_the_other_files_beside_an_exercise_that_it_leaves_alone(tiny: TinyCourse) -> None:
    tiny.exercise.write_text("# mine\n", encoding="utf-8")
    others = (tiny.workspace.syllabus, tiny.workspace.practice_exam)
    for path in others:
        path.unlink()
    sync.sync(tiny.workspace)
    assert [path for path in others if not path.exists()] == []


@pytest.mark.parametrize("option", [[], ["--check"]])
def test_an_exercise_of_a_part_that_was_taken_out_is_named_and_kept(two_parts: TinyCourse, option: list[str]) -> None:
    attn_in(two_parts.workspace, "sync")
    two_parts.edit(two_parts.workspace.root / "course.toml", f'["{NAME}", "{OTHER}"]', f'["{NAME}"]')
    attn_in(two_parts.workspace, "sync")
    left_over = two_parts.workspace.exercise(OTHER)

    found = attn_in(two_parts.workspace, "sync", *option)

    assert f"exercises/{OTHER}.py: belongs to no part that course.toml names: delete it" in found.stdout
    assert found.returncode == 1
    assert left_over.is_file()
    left_over.unlink()
    assert attn_in(two_parts.workspace, "sync", *option).returncode == 0


def test_sync_makes_what_is_missing(tiny: TinyCourse) -> None:
    made = (tiny.exercise, tiny.workspace.syllabus, tiny.workspace.practice_exam)
    for path in made:
        path.unlink()
    sync.sync(tiny.workspace)
    assert _problems(sync.check(tiny.workspace)) == {}


def test_sync_puts_an_exam_in_the_place_of_a_file_that_is_none(tiny: TinyCourse) -> None:
    tiny.workspace.practice_exam.write_bytes(b"not an exam")
    sync.sync(tiny.workspace)
    assert _problems(sync.check(tiny.workspace)) == {}


def test_sync_changes_no_byte_of_what_has_not_drifted(tiny: TinyCourse) -> None:
    before = _content(tiny.workspace)
    sync.sync(tiny.workspace)
    assert _content(tiny.workspace) == before


# One part


def _scope(part: str) -> set[str]:
    return {f"{part}.scores", f"{part}.Scale"}


def test_sync_of_a_part_adds_it_to_what_the_files_hold(two_parts: TinyCourse) -> None:
    sync.sync(two_parts.workspace, _scope("part1_other"))
    assert _problems(sync.check(two_parts.workspace)) == {}


def test_sync_of_a_part_leaves_the_others_as_they_were(two_parts: TinyCourse) -> None:
    made = two_parts.make()
    for reference in (two_parts.reference, two_parts.solutions / "part1_other.py"):
        two_parts.edit(reference, "Return the scores.", CHANGED)
    products = sync.sync(two_parts.workspace, _scope("part1_other"))
    found = read_exam(two_parts.workspace.practice_exam)
    assert two_parts.exercise not in [product.path for product in products]
    assert CHANGED not in two_parts.exercise.read_text(encoding="utf-8")
    assert CHANGED in two_parts.workspace.exercise("part1_other").read_text(encoding="utf-8")
    assert [part.steps[0].summary for part in found.syllabus.parts] == [made.syllabus.steps[0].summary, CHANGED]
    assert [case.path for case in found.paper.cases] == [case.path for case in made.paper.cases]


def test_what_the_course_says_of_all_parts_is_kept_when_one_is_made(two_parts: TinyCourse) -> None:
    toml = two_parts.workspace.root / "course.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + '\n[words]\nt = "row"\n', encoding="utf-8")
    two_parts.make()
    before = _content(two_parts.workspace)
    sync.sync(two_parts.workspace, _scope("part1_other"))
    assert _content(two_parts.workspace) == before


def test_check_of_a_part_does_not_look_at_the_others(two_parts: TinyCourse) -> None:
    two_parts.make()
    two_parts.edit(two_parts.reference, "return keys @ query", "return keys @ query + 1")
    two_parts.exercise.unlink()
    assert _problems(sync.check(two_parts.workspace, _scope("part1_other"))) == {}
    assert _problems(sync.check(two_parts.workspace, {STEP})).keys() == {f"{NAME}.py", "practice.exam"}


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


def _with_slip(exam: Exam, slip: GeneratedMistake) -> Exam:
    return dataclasses.replace(exam, key=dataclasses.replace(exam.key, generated={STEP: (slip,)}))


def _with_paper(exam: Exam, change: Callable[[PaperCase], PaperCase]) -> Exam:
    changed = {case.path: change(case) if case.path == CASE else case for case in exam.paper.cases}
    keys = {changed[path].path: case for path, case in exam.key.cases.items()}
    paper = dataclasses.replace(exam.paper, cases=tuple(changed.values()))
    return dataclasses.replace(exam, paper=paper, key=dataclasses.replace(exam.key, cases=keys))


def _other_inputs(case: PaperCase) -> PaperCase:
    inputs = {name: value[::-1] if isinstance(value, np.ndarray) else value for name, value in case.inputs.items()}
    return dataclasses.replace(case, inputs=inputs)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param(
            lambda exam: _with_case(exam, lambda case: dataclasses.replace(case, expected=_answer(case.expected))),
            f"expects another answer to {CASE}",
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
            "has another fingerprint of added",
            id="a fingerprint",
        ),
        pytest.param(
            lambda exam: _with_slip(
                exam, GeneratedMistake("dimension", "`sum` runs over another", np.ones((3, 3), "f4"))
            ),
            "knows other slips",
            id="a slip of the reference",
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
    tiny: TinyCourse, tmp_path: Path, change: Callable[[Exam], Exam], problem: str
) -> None:
    exam = read_exam(tiny.workspace.practice_exam)
    write_exam(change(exam), tmp_path / "drifted.exam")
    assert problem in sync._drift_of_exam(tmp_path / "drifted.exam", exam)


def test_a_practice_exam_does_not_drift_by_the_last_digit_of_a_number(tiny: TinyCourse, tmp_path: Path) -> None:
    def nudge(case: KeyCase) -> KeyCase:
        outputs = {
            name: dataclasses.replace(value, array=np.nextafter(value.array, np.inf, dtype=value.array.dtype))
            for name, value in case.expected.outputs.items()
            if isinstance(value, TensorValue) and value.array is not None
        }
        return dataclasses.replace(case, expected=dataclasses.replace(case.expected, outputs=outputs))

    exam = read_exam(tiny.workspace.practice_exam)
    write_exam(_with_case(exam, nudge), tmp_path / "rounded.exam")
    assert sync._drift_of_exam(tmp_path / "rounded.exam", exam) == ""


def test_a_practice_exam_that_is_missing_has_drifted(tiny: TinyCourse, tmp_path: Path) -> None:
    assert "there is no exam" in sync._drift_of_exam(tmp_path / "no.exam", read_exam(tiny.workspace.practice_exam))

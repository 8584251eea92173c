"""What is made from the source: drift is found, stale files are made anew, and nobody's work is overwritten.

That nothing in the checkout has drifted, `test_verification` looks at.
"""

import dataclasses
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command import attn_in
from tiny_course import NAME, TinyCourse

from autograder.authoring import sync
from autograder.course.answer import TensorValue
from autograder.exam.files import read_exam, write_exam
from autograder.workspace import Workspace

OTHER = "part1_other"
STEP = f"{NAME}.scores"
CASE = f"{STEP}.random"
CHANGED = "Return the products."
OTHER_SOURCES = f"was made from other sources: {NAME}"


@pytest.fixture
def two_parts(tiny: TinyCourse) -> TinyCourse:
    """The tiny course with a second part like its first, `part1_other`, of which nothing is made yet."""
    folder = tiny.workspace.root
    for path in (tiny.reference, tiny.data, tiny.mistakes, tiny.alternatives, tiny.equivalent):
        other = folder / path.relative_to(folder).as_posix().replace(NAME, OTHER)
        other.parent.mkdir(exist_ok=True)
        other.write_text(path.read_text(encoding="utf-8").replace(NAME, OTHER), encoding="utf-8")
    tiny.edit(folder / "course.toml", f'["{NAME}"]', f'["{NAME}", "{OTHER}"]')
    return tiny


def _add_to(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def _problems(products: list[sync.Product]) -> dict[str, str]:
    return {product.path.name: product.problem for product in products if product.problem}


def _content(workspace: Workspace) -> dict[Path, bytes]:
    files = (path for path in workspace.root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path: path.read_bytes() for path in files}


# check


def test_another_text_in_a_solution_makes_stub_syllabus_and_exam_drift(tiny: TinyCourse) -> None:
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    assert _problems(sync.check(tiny.workspace)) == {
        f"{NAME}.py": "differs from what the source makes",
        "syllabus.json": "differs from what the source makes",
        "practice.exam": OTHER_SOURCES,
    }


# sync


def test_sync_leaves_an_exercise_alone_that_somebody_has_written_in(tiny: TinyCourse) -> None:
    written = tiny.exercise.read_text(encoding="utf-8") + "\n# mine: √d\n"
    tiny.exercise.write_text(written, encoding="utf-8")
    tiny.edit(tiny.reference, "Return the scores.", CHANGED)
    sync.sync(tiny.workspace)
    assert tiny.exercise.read_text(encoding="utf-8") == written


@pytest.mark.slow
@pytest.mark.parametrize("option", [[], ["--check"]])
def test_an_exercise_of_a_part_that_was_taken_out_is_named_and_kept(two_parts: TinyCourse, option: list[str]) -> None:
    attn_in(two_parts.workspace, "build")
    two_parts.edit(two_parts.workspace.root / "course.toml", f'["{NAME}", "{OTHER}"]', f'["{NAME}"]')
    attn_in(two_parts.workspace, "build")
    left_over = two_parts.workspace.exercise(OTHER)

    found = attn_in(two_parts.workspace, "build", *option)

    assert f"exercises/{OTHER}.py: belongs to no part that course.toml names: delete it" in found.stdout
    assert found.returncode == 1
    assert left_over.is_file()
    left_over.unlink()
    assert attn_in(two_parts.workspace, "build", *option).returncode == 0


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


@pytest.mark.slow
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


# Drift of the practice exam


def test_an_exam_made_on_another_machine_has_not_drifted(tiny: TinyCourse) -> None:
    exam = read_exam(tiny.workspace.practice_exam)
    case = exam.key.cases[CASE]
    outputs = {
        name: msgspec.structs.replace(value, array=value.array * np.float32(1.1))
        for name, value in case.expected.outputs.items()
        if isinstance(value, TensorValue) and value.array is not None
    }
    moved = dataclasses.replace(case, expected=dataclasses.replace(case.expected, outputs=outputs))
    key = dataclasses.replace(exam.key, cases={**exam.key.cases, CASE: moved})
    write_exam(dataclasses.replace(exam, key=key), tiny.workspace.practice_exam)

    assert _problems(sync.check(tiny.workspace)) == {}


@pytest.mark.parametrize(
    "source", ["solutions/part0_tiny.py", "course/part0_tiny/steps.py", "course/part0_tiny/mistakes.py"]
)
def test_a_line_more_in_a_source_makes_the_exam_drift(tiny: TinyCourse, source: str) -> None:
    _add_to(tiny.workspace.root / source)

    assert sync.check(tiny.workspace)[-1].problem == OTHER_SOURCES


@pytest.mark.parametrize("other", ["docs/lectures/tiny.md", "course/part0_tiny/alternatives.py"])
def test_a_line_more_elsewhere_makes_nothing_drift(tiny: TinyCourse, other: str) -> None:
    _add_to(tiny.workspace.root / other)

    assert _problems(sync.check(tiny.workspace)) == {}

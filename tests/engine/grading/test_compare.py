"""The relation of two tensors, and in a sentence that of a wrong answer to the right one."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.tolerances import TOLERANCE
from autograder.grading.compare import GENERAL, Kind, Wrong, compare, find_relation, numbers_of

GENERATOR = np.random.default_rng(5)
MATRIX = GENERATOR.normal(size=(4, 5))
SQUARE = GENERATOR.normal(size=(4, 4))
BATCH = GENERATOR.normal(size=(2, 4, 5))
VECTOR = GENERATOR.normal(size=6)
SIZES = {"tq": 4, "tk": 5, "d_k": 3}


def wrong(
    yours: Array,
    expected: Array,
    sizes: Mapping[str, int] = SIZES,
    inputs: Mapping[str, Array] | None = None,
) -> Wrong:
    dims = ("b", "tq", "tk")[-expected.ndim :] if expected.ndim else ()
    return Wrong(yours, expected, dims, sizes, inputs or {}, TOLERANCE)


REORDERED = wrong(MATRIX.T.reshape(4, 5), MATRIX)
SCALED = {"√d_k": 3**0.5, "1/√d_k": 3**-0.5, "d_k": 3.0, "1/d_k": 1 / 3, "√tk": 5**0.5, "1/tq": 0.25}
RECOGNISED = {
    "zeros": ([wrong(np.zeros((4, 5)), MATRIX)], "all_zero", "All your numbers are zero."),
    "an input": (
        [wrong(VECTOR[:5] * 2, VECTOR[:5], inputs={"x": VECTOR[:5] * 2})], "returns_an_input", "You return `x` unchanged.",
    ),
    "the transpose": ([wrong(MATRIX.T, MATRIX)], "transposed", "(rows tq, columns tk)"),
    "the transpose of a square": ([wrong(SQUARE.T, SQUARE)], "transposed", "the last two dimensions are swapped"),
    "the transpose in a batch": ([wrong(BATCH.swapaxes(1, 2), BATCH)], "transposed", "swapped"),
    "the transpose beside a single number": ([wrong(MATRIX.T, MATRIX), wrong(np.array(2.0), np.array(1.0))], "transposed", ""),
    "other dimensions swapped": ([wrong(BATCH.swapaxes(0, 1), BATCH)], "same_values_reordered", "another order"),
    "another order": ([REORDERED], "same_values_reordered", "another order"),
    "a constant factor": ([wrong(MATRIX * 0.37, MATRIX)], "constant_factor", "times 0.37, everywhere"),
    "the other sign": ([wrong(-MATRIX, MATRIX)], "constant_factor", "with the wrong sign"),
    **{f"times {name}": ([wrong(MATRIX * by, MATRIX)], "constant_factor", f"times {name}:") for name, by in SCALED.items()},
    "a factor that explains all cases": (
        [wrong(MATRIX * size**0.5, MATRIX, {"tq": 4, "d_k": size}) for size in (4, 9)], "constant_factor", "times √d_k:",
    ),
    "a dimension of size 1": ([wrong(VECTOR[:, None], VECTOR)], "extra_dimension", "a dimension of size 1 too many"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "name", "says"), RECOGNISED.values(), ids=RECOGNISED)
def test_a_relation_is_recognised_and_described(cases: list[Wrong], name: str, says: str) -> None:
    found = find_relation(cases, GENERAL)

    assert found
    assert found[0] == name
    assert says in found[1]


UNRELATED = {
    "fewer numbers in another case": [REORDERED, wrong(MATRIX[:2], MATRIX)],
    "more numbers in another case": [REORDERED, wrong(np.tile(MATRIX, 2), MATRIX)],
    "a factor that changes from case to case": [wrong(MATRIX * 1.1, MATRIX), wrong(MATRIX * 1.2, MATRIX)],
    "the transpose in one case alone": [wrong(MATRIX.T, MATRIX), wrong(MATRIX**2, MATRIX)],
    "zeros where other cases are right": [replace(wrong(np.zeros((4, 5)), MATRIX), right_elsewhere=True)],
    "noise": [wrong(GENERATOR.normal(size=(4, 5)), MATRIX)],
    "nan": [wrong(np.full((4, 5), np.nan), MATRIX)],
}


@pytest.mark.parametrize("cases", UNRELATED.values(), ids=UNRELATED)
def test_other_numbers_have_no_relation(cases: list[Wrong]) -> None:
    assert find_relation(cases, GENERAL) is None


KNOWN = np.array([[1.0, 2.0, 4.0], [7.0, 9.0, 12.0]])
RELATED = {
    "the same": (KNOWN + 1e-6, Kind.EQUAL, False),
    "in another shape": (KNOWN.reshape(3, 2), Kind.RESHAPED, False),
    "in another order": (KNOWN.T, Kind.PERMUTED, False),
    "at other places": (KNOWN[::-1], Kind.PERMUTED, True),
    "some of them": (KNOWN[:, 1], Kind.PART, False),
    "times a constant": (-3 * KNOWN.T, Kind.SCALED, False),
    "others": (KNOWN**2, Kind.OTHER, False),
    "a mask, which tells nothing": (np.array([1.0, 0.0]), Kind.OTHER, False),
}


@pytest.mark.parametrize(("yours", "kind", "misplaced"), RELATED.values(), ids=RELATED)
def test_two_tensors_have_a_relation(yours: Array, kind: Kind, misplaced: bool) -> None:
    found = compare(numbers_of(yours), numbers_of(KNOWN), (yours.shape, KNOWN.shape))

    assert (found.kind, found.is_misplaced) == (kind, misplaced)
    assert found.by == (pytest.approx(-3) if kind == Kind.SCALED else None)

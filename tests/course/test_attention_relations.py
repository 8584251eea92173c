"""The relations of this course: what wrong weights have to do with the right ones, among those that hold in any course."""

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.tolerances import TOLERANCE
from autograder.grading.compare import GENERAL, Wrong, find_relation
from autograder.workspace import COURSE

RELATIONS = COURSE.course.own_relations()
GENERATOR = np.random.default_rng(5)
MATRIX = GENERATOR.normal(size=(4, 5))
SQUARE = GENERATOR.normal(size=(4, 4))
OTHER = GENERATOR.normal(size=(4, 5))


def softmax(array: Array, axis: int) -> Array:
    exponentials = np.exp(array)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def wrong(yours: Array, expected: Array) -> Wrong:
    dims = ("b", "tq", "tk")[-expected.ndim :]
    return Wrong(yours, expected, dims, {"tq": 4, "tk": 5, "d_k": 3}, {}, TOLERANCE)


def looking_ahead(array: Array) -> Array:
    changed = array.copy()
    changed[np.triu_indices(4, k=1)] += 1.0
    return changed


RECOGNISED = {
    "softmax over queries": (wrong(softmax(MATRIX, -2), softmax(MATRIX, -1)), "softmax_over_wrong_dimension"),
    "softmax over all": (
        wrong(softmax(MATRIX.ravel(), 0).reshape(4, 5), softmax(MATRIX, -1)),
        "softmax_over_wrong_dimension",
    ),
    "softmax twice": (wrong(softmax(softmax(MATRIX, -1), -1), softmax(MATRIX, -1)), "double_softmax"),
    "softmax of unscaled scores": (
        wrong(softmax(MATRIX * 3**0.5, -1), softmax(MATRIX, -1)),
        "scores_scaled_otherwise",
    ),
    "rows that do not add up": (wrong(softmax(MATRIX, -1) ** 2, softmax(MATRIX, -1)), "rows_do_not_add_up"),
    "wrong in the future only": (wrong(looking_ahead(SQUARE), SQUARE), "right_until_the_future"),
}


@pytest.mark.parametrize(("case", "name"), RECOGNISED.values(), ids=RECOGNISED)
def test_a_relation_is_recognised(case: Wrong, name: str) -> None:
    found = find_relation([case], RELATIONS)

    assert found is not None
    assert found[0] == name


def test_all_general_relations_are_looked_for_too() -> None:
    assert set(GENERAL) < set(RELATIONS)


SCALINGS = {"√d_k": 3**0.5, "1/√d_k": 3**-0.5, "d_k": 3.0, "√tk": 5**0.5}


@pytest.mark.parametrize(("meaning", "factor"), SCALINGS.items(), ids=SCALINGS)
def test_a_factor_of_the_scores_is_told_by_its_meaning(meaning: str, factor: float) -> None:
    found = find_relation([wrong(softmax(MATRIX * factor, -1), softmax(MATRIX, -1))], RELATIONS)

    assert found is not None
    assert f"scores {meaning} times as large" in found[1]


def test_a_factor_of_the_scores_is_found_behind_a_mask() -> None:
    masked = np.where(np.tril(np.ones((4, 4))) > 0, SQUARE, -np.inf)

    found = find_relation([wrong(softmax(masked * 3**0.5, -1), softmax(masked, -1))], RELATIONS)

    assert found is not None
    assert "scores √d_k times as large" in found[1]


def test_weights_of_other_scores_are_no_matter_of_scaling() -> None:
    found = find_relation([wrong(softmax(OTHER, -1), softmax(MATRIX, -1))], RELATIONS)

    assert found is None


def test_rows_do_not_all_add_up_to_1_together_where_a_single_one_does_not() -> None:
    """Each row's own numbers were softmaxed: the case of one row adds up to its length."""
    rows = wrong(softmax(MATRIX, -1) / 4, softmax(MATRIX, -1))
    row = wrong(np.ones(5), softmax(MATRIX[0], -1))

    assert [found[0] for cases in ([rows], [rows, row]) if (found := find_relation(cases, RELATIONS))] == [
        "softmax_over_wrong_dimension",
        "rows_do_not_add_up",
    ]


def test_weights_whose_rows_add_up_too_have_no_wrong_dimension() -> None:
    swapped = np.full((4, 4), 0.25)
    found = find_relation([wrong(swapped, softmax(SQUARE, -1))], RELATIONS)
    assert found is None or found[0] != "softmax_over_wrong_dimension"


def test_a_softmax_over_sentences_is_one_over_a_wrong_dimension() -> None:
    batch = np.stack([MATRIX, OTHER])
    found = find_relation(
        [wrong(softmax(MATRIX, 0), softmax(MATRIX, -1)), wrong(softmax(batch, 0), softmax(batch, -1))], RELATIONS
    )
    assert found == (
        "softmax_over_wrong_dimension",
        "Your weights add up to 1 over dimension 0; they should over the last one: dim=-1.",
    )

"""General relations are recognised in tensors that no known mistake has made."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.model import NO_WORDS, Words
from autograder.course.tolerances import TOLERANCE
from autograder.grading.relations import GENERAL, NO, Outcome, Wrong, find_relation

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
    words: Words = NO_WORDS,
) -> Wrong:
    dims = ("b", "tq", "tk")[-expected.ndim :] if expected.ndim else ()
    return Wrong(yours, expected, dims, sizes, inputs or {}, TOLERANCE, words)


RECOGNISED = {
    "zeros": (wrong(np.zeros((4, 5)), MATRIX), "all_zero"),
    "an input": (wrong(VECTOR[:5] * 2, VECTOR[:5], inputs={"x": VECTOR[:5] * 2}), "returns_an_input"),
    "the transpose": (wrong(MATRIX.T, MATRIX), "transposed"),
    "the transpose of a square": (wrong(SQUARE.T, SQUARE), "transposed"),
    "the transpose in a batch": (wrong(BATCH.swapaxes(1, 2), BATCH), "transposed"),
    "other dimensions swapped": (wrong(BATCH.swapaxes(0, 1), BATCH), "same_values_reordered"),
    "a constant factor": (wrong(MATRIX * 0.37, MATRIX), "constant_factor"),
    "the other sign": (wrong(-MATRIX, MATRIX), "constant_factor"),
    "another order": (wrong(MATRIX.T.reshape(4, 5), MATRIX), "same_values_reordered"),
    "the first of a batch": (wrong(BATCH[0], BATCH), "first_of_batch_only"),
    "the last row": (wrong(MATRIX[-1], MATRIX), "one_row_only"),
    "a dimension of size 1": (wrong(VECTOR[:, None], VECTOR), "extra_dimension"),
}


@pytest.mark.parametrize(("case", "name"), RECOGNISED.values(), ids=RECOGNISED)
def test_a_relation_is_recognised(case: Wrong, name: str) -> None:
    found = find_relation([case], GENERAL)

    assert found is not None
    assert found[0] == name


@pytest.mark.parametrize("yours", [MATRIX[:2], np.tile(MATRIX, 2)], ids=["fewer", "more"])
def test_numbers_that_are_fewer_or_more_in_another_case_are_no_other_order(yours: Array) -> None:
    reordered = wrong(MATRIX.T.reshape(4, 5), MATRIX)

    assert find_relation([reordered, wrong(yours, MATRIX)], GENERAL) is None


MEANINGS = {"√d_k": 3**0.5, "1/√d_k": 3**-0.5, "d_k": 3.0, "1/d_k": 1 / 3, "√tk": 5**0.5, "1/tq": 0.25}


@pytest.mark.parametrize(("meaning", "factor"), MEANINGS.items(), ids=MEANINGS)
def test_a_factor_is_told_by_its_meaning(meaning: str, factor: float) -> None:
    found = find_relation([wrong(MATRIX * factor, MATRIX)], GENERAL)

    assert found is not None
    assert f"times {meaning}:" in found[1]


def test_a_factor_means_what_explains_all_cases() -> None:
    cases = [wrong(MATRIX * size**0.5, MATRIX, {"tq": 4, "d_k": size}) for size in (4, 9)]

    found = find_relation(cases, GENERAL)

    assert found is not None
    assert "times √d_k:" in found[1]


def test_a_factor_that_changes_from_case_to_case_without_a_meaning_is_no_diagnosis() -> None:
    assert find_relation([wrong(MATRIX * 1.1, MATRIX), wrong(MATRIX * 1.2, MATRIX)], GENERAL) is None


def test_a_relation_must_hold_in_every_case() -> None:
    assert find_relation([wrong(MATRIX.T, MATRIX), wrong(GENERATOR.normal(size=(4, 5)), MATRIX)], GENERAL) is None


def test_a_case_that_says_nothing_does_not_stand_in_the_way() -> None:
    one_number = wrong(np.array(2.0), np.array(1.0))

    found = find_relation([wrong(MATRIX.T, MATRIX), one_number], GENERAL)

    assert found is not None
    assert found[0] == "transposed"


def test_a_relation_that_does_not_hold_in_one_case_is_not_looked_for_in_others() -> None:
    asked = []

    def never(case: Wrong) -> Outcome:
        asked.append(case)
        return NO

    assert find_relation([wrong(MATRIX, MATRIX), wrong(SQUARE, SQUARE)], [never]) is None
    assert len(asked) == 1


def test_noise_has_no_relation() -> None:
    assert find_relation([wrong(GENERATOR.normal(size=(4, 5)), MATRIX)], GENERAL) is None


def test_nan_has_no_relation() -> None:
    assert find_relation([wrong(np.full((4, 5), np.nan), MATRIX)], GENERAL) is None


PHOTOS = Words({"b": "photo"})
BATCHES = {
    "by its word": ([wrong(BATCH[0], BATCH, words=PHOTOS)], "You return the first photo only."),
    "without a word": ([wrong(BATCH[0], BATCH)], "You return the first slice along the first dimension only."),
    "where only one case has a word": (
        [wrong(BATCH[0], BATCH, words=PHOTOS), wrong(BATCH[0], BATCH)],
        "You return the first slice along the first dimension only.",
    ),
    "where the shape is right": (
        [wrong(np.stack([BATCH[0], BATCH[0]]), BATCH, words=PHOTOS)],
        "Only the first photo is right.",
    ),
}


@pytest.mark.parametrize(("cases", "says"), BATCHES.values(), ids=BATCHES)
def test_the_first_slice_of_a_batch_is_called_as_the_course_calls_it(cases: list[Wrong], says: str) -> None:
    assert find_relation(cases, GENERAL) == ("first_of_batch_only", says)


def test_zeros_where_other_cases_are_right_are_not_a_result_that_was_never_stored() -> None:
    underflowed = replace(wrong(np.zeros((4, 5)), MATRIX), right_elsewhere=True)
    found = find_relation([underflowed], GENERAL)
    assert found is None or found[0] != "all_zero"

"""The data of <head-explorer>: the file in the tree has the form that the widget reads, and the script is deterministic."""

import json
from typing import Any

import pytest

from workbench.explorer import HEADS, SEED, explored, parts
from workbench.induction import ENOUGH, induction_task
from workbench.task import Code
from workbench.trainer import Training

TRAINED: dict[str, Any] = json.loads(HEADS.read_text(encoding="utf-8"))


def test_each_row_ends_with_the_token_that_looks_and_its_weights_add_up_to_one() -> None:
    for read in TRAINED["inputs"]:
        for head in (head for moment in ("before", "after") for layer in read[moment] for head in layer):
            assert [len(row) for row in head] == list(range(1, len(read["tokens"]) + 1))
            assert {sum(row) for row in head} == {1000}
            assert min(weight for row in head for weight in row) >= 0


def test_training_has_grown_an_induction_head_where_there_was_none() -> None:
    before, after = (max(map(max, TRAINED["scores"][moment])) for moment in ("before", "after"))

    assert before < 0.2
    assert after >= ENOUGH


def test_the_score_is_that_of_the_weights_that_are_shown() -> None:
    """On a sequence that repeats itself, the best head looks right behind the last occurrence of the present token."""
    read = next(read for read in TRAINED["inputs"] if read["name"].endswith("twice"))
    period = len(read["tokens"]) // 2
    heads = [head for layer in read["after"] for head in layer]
    means = [sum(head[place][place - period + 1] for place in range(period, 2 * period)) / period for head in heads]

    assert max(means) >= 1000 * ENOUGH


def test_the_same_training_gives_the_same_file(code: Code) -> None:
    first, second = (explored(Training(code, induction_task(), SEED, "cpu"), code, steps=2) for _ in range(2))

    assert first == second
    assert first["inputs"][0]["before"] != first["inputs"][0]["after"]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([1.0], [1000]), ([1 / 3, 1 / 3, 1 / 3], [334, 333, 333]), ([0.9996, 0.0004], [1000, 0])],
)
def test_parts_add_up(weights: list[float], expected: list[int]) -> None:
    assert parts(weights, 1000) == expected

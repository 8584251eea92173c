"""Repeated random sequences, and the induction score on maps made by hand."""

import pytest
import torch
from torch import Tensor

from workbench.induction import (
    CONTEXT,
    LONGEST,
    SHORTEST,
    induction_scores,
    induction_task,
    repeated,
)

PERIOD = 4


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def head(place_of: list[int]) -> Tensor:
    """Return the map of one head whose token i looks at place_of[i] alone, (1, 1, 1, t, t)."""
    return torch.eye(len(place_of))[place_of][None, None, None]


def test_a_sequence_is_followed_by_itself() -> None:
    periods = torch.tensor([5, 8, 11])
    sequences = repeated(periods, 24, generator())

    for period, sequence in zip(periods.tolist(), sequences, strict=True):
        assert torch.equal(sequence[period:], sequence[:-period])


def test_the_distance_back_is_another_in_each_row_of_a_batch() -> None:
    sequences = induction_task().batch(generator())
    periods = {row.tolist().index(row[0], 1) for row in sequences}

    assert sequences.shape[1] == CONTEXT
    assert periods == set(range(SHORTEST, LONGEST + 1))


def test_a_head_that_looks_right_after_the_previous_occurrence_scores_1() -> None:
    looks_at = [0, 1, 2, 3, 1, 2, 3, 4]

    assert induction_scores(head(looks_at), PERIOD).tolist() == [[1.0]]


@pytest.mark.parametrize(
    "looks_at",
    [
        pytest.param([0, 0, 1, 2, 3, 4, 5, 6], id="at the token before"),
        pytest.param([0, 1, 2, 3, 0, 1, 2, 3], id="at the previous occurrence itself"),
        pytest.param([0, 1, 2, 3, 4, 5, 6, 7], id="at itself"),
    ],
)
def test_a_head_that_looks_elsewhere_scores_0(looks_at: list[int]) -> None:
    assert induction_scores(head(looks_at), PERIOD).tolist() == [[0.0]]


def test_every_layer_and_head_has_its_own_score_over_all_sequences() -> None:
    right, wrong = head([0, 1, 2, 3, 1, 2, 3, 4]), head(list(range(8)))
    first = torch.cat([torch.cat([right, wrong], dim=2)] * 2, dim=1)  # 1 layer, 2 sequences, 2 heads
    second = torch.cat([torch.cat([wrong, wrong], dim=2), torch.cat([right, wrong], dim=2)], dim=1)

    assert induction_scores(torch.cat([first, second]), PERIOD).tolist() == [[1.0, 0.0], [0.5, 0.0]]


def test_the_framed_cells_of_the_shown_sequence_follow_the_same_token() -> None:
    task = induction_task()

    assert task.framed
    for query, key in task.framed:
        assert task.shown[key - 1] == task.shown[query]

"""Repeated random sequences, and the induction score on maps made by hand."""

import torch
from torch import Tensor

from workbench.induction import (
    induction_scores,
)

PERIOD = 4


def head(place_of: list[int]) -> Tensor:
    """Return the map of one head whose token i looks at place_of[i] alone, (1, 1, 1, t, t)."""
    return torch.eye(len(place_of))[place_of][None, None, None]


def test_a_head_that_looks_right_after_the_previous_occurrence_scores_1() -> None:
    looks_at = [0, 1, 2, 3, 1, 2, 3, 4]

    assert induction_scores(head(looks_at), PERIOD).tolist() == [[1.0]]


def test_every_layer_and_head_has_its_own_score_over_all_sequences() -> None:
    right, wrong = head([0, 1, 2, 3, 1, 2, 3, 4]), head(list(range(8)))
    first = torch.cat([torch.cat([right, wrong], dim=2)] * 2, dim=1)  # 1 layer, 2 sequences, 2 heads
    second = torch.cat([torch.cat([wrong, wrong], dim=2), torch.cat([right, wrong], dim=2)], dim=1)

    assert induction_scores(torch.cat([first, second]), PERIOD).tolist() == [[1.0, 0.0], [0.5, 0.0]]

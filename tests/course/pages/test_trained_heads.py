"""The trained heads that open lectures look as the lectures say."""

import pytest
import torch

from course.attention.pages.trained_heads import trained_head

TEXT = "to be or not to be"


def test_each_letter_gives_all_of_its_attention_to_what_it_has_read() -> None:
    weights = trained_head(TEXT, 2, 1)

    assert weights.shape == (len(TEXT), len(TEXT))
    assert torch.equal(weights, weights.tril())
    assert weights.sum(dim=1).tolist() == pytest.approx([1.0] * len(TEXT), abs=0.01)


def test_one_head_looks_at_the_letter_before() -> None:
    assert trained_head(TEXT, 1, 2).diagonal(-1)[:13].min() > 0.5


def test_another_looks_at_what_came_after_the_same_letters_before() -> None:
    weights = trained_head(TEXT, 2, 1)

    assert weights[16, 4] > 0.95  # the second b at the e after the first
    assert weights[17, 5] > 0.95  # and the second e at the space after the first


def test_a_text_that_was_not_read_is_refused() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        trained_head("another text", 1, 1)

"""What the lecture on training shows of a model that writes: the file in the tree, and how it is measured and sampled."""

import json
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from workbench.characters import CONTEXT
from workbench.samples import LOOK_EVERY, PROMPT, SAMPLES, STEPS, WRITTEN, parts_of, sample
from workbench.texts import OWN, read_text

KEPT: dict[str, Any] = json.loads(SAMPLES.read_text(encoding="utf-8"))
SIGNS = "".join(sorted({*PROMPT}))


class Fixed(nn.Module):
    """Gives the same logits everywhere, and notes how many tokens it was given."""

    def __init__(self, logits: list[float]) -> None:
        super().__init__()
        self.logits, self.longest = torch.tensor(logits), 0

    def forward(self, tokens: Tensor) -> Tensor:
        self.longest = max(self.longest, tokens.shape[1])
        return self.logits.expand(*tokens.shape, -1)


def test_nothing_of_the_story_is_lost_between_what_is_learned_and_what_is_kept_back() -> None:
    story = read_text(OWN)
    learned, kept_back = parts_of(story)

    assert learned + kept_back == story
    assert len(kept_back) == pytest.approx(len(story) / 10, abs=1)


def test_the_losses_are_those_of_all_steps_and_begin_at_knowing_nothing() -> None:
    assert [step for step, *_ in KEPT["losses"]] == [*range(0, STEPS + 1, LOOK_EVERY)]
    assert KEPT["losses"][0][1:] == pytest.approx([math.log(KEPT["vocabulary"])] * 2, rel=0.1)


def test_at_temperature_zero_the_likeliest_is_written_and_at_a_high_one_all_are() -> None:
    model = Fixed([3.0] + [0.0] * (len(SIGNS) - 1))

    assert sample(model, SIGNS, 0.0) == PROMPT + SIGNS[0] * WRITTEN
    assert {*sample(model, SIGNS, 100.0)[len(PROMPT) :]} == {*SIGNS}
    assert model.longest == CONTEXT - 1

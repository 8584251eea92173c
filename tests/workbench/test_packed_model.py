"""The model that <live-gpt> loads: it is the one whose heads are shown, it solves its task, and packing loses little."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from workbench.explorer import TRAINED
from workbench.induction import ENOUGH, LONGEST, UNSEEN, induction_scores, induction_task, repeated
from workbench.packed_model import packed, read_weights, unpacked, weights_of
from workbench.task import ATTENTION, MODEL, Code
from workbench.trainer import Training


@pytest.fixture
def model(code: Code) -> nn.Module:
    """The model as the page computes with it."""
    model = Training(code, induction_task(), 0).model
    model.load_state_dict(read_weights(TRAINED), strict=False)
    return model.eval()


def test_a_matrix_that_is_packed_and_unpacked_is_off_by_half_a_step_of_its_row() -> None:
    weights = torch.randn(5, 7, generator=torch.Generator().manual_seed(0)) * torch.tensor(
        [[1e-3], [1], [10], [0], [1]]
    )
    found = unpacked(packed({"W": weights}))["W"]

    assert ((found - weights).abs() <= weights.abs().amax(dim=1, keepdim=True) / 127 / 2 + 1e-7).all()


class OtherNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift, self.scale = nn.Parameter(torch.zeros(64)), nn.Parameter(torch.ones(64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (64,), self.scale, self.shift)


class OtherBlock(nn.Module):
    """A block whose author has other names, and makes its layers in another order than they are called."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.norm2, self.norm1 = OtherNorm(), OtherNorm()
        self.narrow, self.widen = nn.Linear(256, 64), nn.Linear(64, 256)
        self.att = attention

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.att(self.norm1(x))
        return x + self.narrow(nn.functional.gelu(self.widen(self.norm2(x))))


class OtherGPT(nn.Module):
    """So is this model, which does not call its table of places either."""

    def __init__(self, attention: Callable[..., nn.Module]) -> None:
        super().__init__()
        self.out, self.last = nn.Linear(64, 32, bias=False), OtherNorm()
        self.places, self.words = nn.Embedding(32, 64), nn.Embedding(32, 64)
        self.layers = nn.Sequential(*(OtherBlock(attention(64, 64, 32, 0.0, 4)) for _ in range(2)))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        return self.out(self.last(self.layers(x)))


def test_a_model_with_other_names_is_packed_as_what_it_computes(code: Code) -> None:
    other = OtherGPT(code[ATTENTION].MultiHeadAttention)
    with torch.no_grad():
        for weights in other.parameters():
            weights.add_(0.1 * torch.randn_like(weights))
    same = Training(code, induction_task(), 0).model
    same.load_state_dict(weights_of(other), strict=False)

    tokens = torch.arange(24).view(2, 12)
    torch.testing.assert_close(same(tokens), other(tokens))


def test_it_has_induction_heads_and_guesses_what_repeats(code: Code, model: nn.Module) -> None:
    tokens = repeated(torch.full((32,), LONGEST), 2 * LONGEST, torch.Generator().manual_seed(UNSEEN))
    scores = induction_scores(code[MODEL].attention_maps(model, tokens), LONGEST)
    with torch.no_grad():
        guesses = model(tokens)[:, LONGEST:-1].argmax(dim=-1)

    assert scores.max() >= ENOUGH
    assert (guesses == tokens[:, LONGEST + 1 :]).float().mean() > 0.95

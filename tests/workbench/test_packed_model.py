"""The model that <live-gpt> loads: it is the one whose heads are shown, it solves its task, and packing loses little."""

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from torch import nn

from workbench.explorer import HEADS, SIGNS, TRAINED
from workbench.induction import ENOUGH, LONGEST, UNSEEN, induction_scores, induction_task, repeated
from workbench.packed_model import packed, read_weights, unpacked, write_model
from workbench.task import MODEL, Code
from workbench.trainer import Training

LARGEST = 160_000  # bytes: a reader waits for them


@pytest.fixture
def model(code: Code) -> nn.Module:
    """The model as the page computes with it."""
    model = Training(code, induction_task(), 0, "cpu").model
    model.load_state_dict(read_weights(TRAINED), strict=False)
    return model.eval()


def test_a_matrix_that_is_packed_and_unpacked_is_off_by_half_a_step_of_its_row() -> None:
    weights = torch.randn(5, 7, generator=torch.Generator().manual_seed(0)) * torch.tensor(
        [[1e-3], [1], [10], [0], [1]]
    )
    found = unpacked(packed({"W": weights}))["W"]

    assert ((found - weights).abs() <= weights.abs().amax(dim=1, keepdim=True) / 127 / 2 + 1e-7).all()


def test_a_vector_stays_as_it_is() -> None:
    bias = torch.tensor([0.1, -3.0])

    assert torch.equal(unpacked(packed({"bias": bias}))["bias"], bias)


def test_what_is_written_is_read_with_every_weight_of_the_model(code: Code, tmp_path: Path) -> None:
    model = Training(code, induction_task(), 0, "cpu").model
    write_model(tmp_path / "model.safetensors", model, SIGNS)

    found = read_weights(tmp_path / "model.safetensors")
    assert found.keys() == dict(model.named_parameters()).keys()
    assert all(torch.allclose(found[name], weights, atol=0.02) for name, weights in model.named_parameters())


def test_the_file_is_small() -> None:
    assert TRAINED.stat().st_size <= LARGEST


def test_the_file_names_its_vocabulary_and_heads() -> None:
    with safe_open(TRAINED, framework="pt") as kept:
        assert kept.metadata() == {"vocabulary": SIGNS, "heads": "4"}


def test_it_is_the_model_whose_heads_the_explorer_shows(code: Code, model: nn.Module) -> None:
    for read in json.loads(HEADS.read_text(encoding="utf-8"))["inputs"]:
        tokens = torch.tensor([[SIGNS.index(sign) for sign in read["tokens"]]])
        maps = code[MODEL].attention_maps(model, tokens)[:, 0]
        shown = torch.zeros_like(maps)
        for layer, heads in enumerate(read["after"]):
            for head, rows in enumerate(heads):
                for place, row in enumerate(rows):
                    shown[layer, head, place, : place + 1] = torch.tensor(row) / 1000
        torch.testing.assert_close(maps, shown, rtol=0, atol=0.03)


def test_it_has_induction_heads_and_guesses_what_repeats(code: Code, model: nn.Module) -> None:
    tokens = repeated(torch.full((32,), LONGEST), 2 * LONGEST, torch.Generator().manual_seed(UNSEEN))
    scores = induction_scores(code[MODEL].attention_maps(model, tokens), LONGEST)
    with torch.no_grad():
        guesses = model(tokens)[:, LONGEST:-1].argmax(dim=-1)

    assert scores.max() >= ENOUGH
    assert (guesses == tokens[:, LONGEST + 1 :]).float().mean() > 0.95

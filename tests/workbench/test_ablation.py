"""Heads that are switched off add nothing, for as long as they are."""

import pytest
import torch
from torch import nn

from workbench.ablation import switched_off
from workbench.induction import induction_task
from workbench.task import MODEL, Code
from workbench.trainer import Training

TOKENS = torch.arange(12).view(2, 6)


@pytest.fixture
def model(code: Code) -> nn.Module:
    return Training(code, induction_task(), 0, "cpu").model.eval()


def test_without_heads_to_switch_off_nothing_changes(model: nn.Module) -> None:
    with_all = model(TOKENS)
    with switched_off(model, []):
        assert torch.equal(model(TOKENS), with_all)


def test_a_head_that_is_off_has_no_say_through_its_columns_of_out_proj(model: nn.Module) -> None:
    with switched_off(model, [(2, 3)]):
        without = model(TOKENS)

    with torch.no_grad():
        model.blocks[1].attention.out_proj.weight[:, 32:48] = 0  # type: ignore[index,union-attr]
    torch.testing.assert_close(without, model(TOKENS))


def test_where_a_head_of_the_last_layer_looks_does_not_depend_on_whether_it_is_on(code: Code, model: nn.Module) -> None:
    maps = code[MODEL].attention_maps(model, TOKENS)
    with switched_off(model, [(2, 1), (2, 2)]):
        assert torch.equal(code[MODEL].attention_maps(model, TOKENS), maps)


def test_afterwards_all_heads_are_on(model: nn.Module) -> None:
    with_all = model(TOKENS)
    with switched_off(model, [(1, 1), (2, 4)]):
        assert not torch.allclose(model(TOKENS), with_all)

    assert torch.equal(model(TOKENS), with_all)

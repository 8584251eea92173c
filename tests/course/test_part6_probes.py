"""What the probes of part 6 see beyond the numbers that come out: learning, dropout, order of drawing, modes, hooks."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.course.probing import Unmet
from course.attention.modules import TO_TRAIN, gradient_step, numbers_to_train, observe_drops, write_by_shape
from course.part6_training.steps import (
    LEARNT,
    StandIn,
    run_block,
    run_feed_forward,
    run_generate,
    run_gpt,
    run_maps,
    run_norm,
    run_train_step,
)

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "part6_training.py"


@pytest.fixture(scope="module")
def reference() -> Any:
    return SimpleNamespace(**runpy.run_path(str(SOLUTIONS)))


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(7)
        yield


def _refused(outputs: Any) -> list[str]:
    """Return the names of the observations that are no."""
    return [name for name, value in outputs.items() if value is False]


# Learning


def test_a_parameter_learns_whatever_its_name() -> None:
    module = nn.Linear(3, 2)
    before = [parameter.detach().clone() for parameter in module.parameters()]
    gradient_step(module, lambda: module(torch.ones(4, 3)))
    assert not any(torch.equal(*both) for both in zip(before, module.parameters(), strict=True))


def test_what_is_cut_off_does_not_learn(reference: Any) -> None:
    class CutOff(reference.FeedForward):  # type: ignore[misc]
        def forward(self, x: Tensor) -> Tensor:
            output: Tensor = x * 0 + super().forward(x).detach()
            return output

    changes = [
        run_feed_forward(cls, torch.ones(2, 4), drawn=False, learned=True).outputs[LEARNT]
        for cls in (reference.FeedForward, CutOff)
    ]
    assert changes[0].abs().max() > 1
    assert not changes[1].any()


def test_what_is_learnt_does_not_depend_on_how_numbers_were_drawn(reference: Any) -> None:
    class NarrowFirst(reference.FeedForward):  # type: ignore[misc]
        def __init__(self, emb_dim: int) -> None:
            nn.Module.__init__(self)
            narrow = nn.Linear(4 * emb_dim, emb_dim)
            self.layers = nn.Sequential(nn.Linear(emb_dim, 4 * emb_dim), nn.GELU(), narrow)
            nn.init.zeros_(narrow.bias)

    one, other = (
        run_feed_forward(cls, torch.ones(2, 4), drawn=False, learned=True).outputs[LEARNT]
        for cls in (reference.FeedForward, NarrowFirst)
    )
    assert torch.allclose(one, other)


def test_a_parameter_with_two_names_counts_once() -> None:
    module = nn.ModuleDict({"one": nn.Linear(3, 2)})
    module["other"] = module["one"]
    assert numbers_to_train(module) == 8


# A norm


def test_a_norm_without_its_parameters_is_told_which_is_missing_and_run_all_the_same() -> None:
    class Nameless(nn.Module):
        def __init__(self, emb_dim: int) -> None:
            super().__init__()

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.layer_norm(x, x.shape[-1:])

    x = torch.randn(2, 3)
    outputs = run_norm(Nameless, x, torch.ones(3), torch.zeros(3)).outputs
    assert outputs["parameters"] == "none"
    assert outputs["scale at first"] is None
    assert torch.equal(outputs["output"], nn.functional.layer_norm(x, (3,)))


# Numbers by shape


def test_numbers_by_shape_reach_the_layers_in_a_plain_list() -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.others = nn.Linear(3, 2), [nn.Linear(3, 2)]

    module = Plain()
    write_by_shape(module)
    assert torch.equal(module.first.weight, module.others[0].weight)


def test_numbers_of_other_shapes_are_others() -> None:
    module = nn.ModuleDict({"wide": nn.Linear(2, 8), "narrow": nn.Linear(8, 2)})
    write_by_shape(module)
    assert not torch.equal(module["wide"].weight * 2**0.5, module["narrow"].weight.view(8, 2) * 8**0.5)


# Dropout


def test_the_reference_drops_as_it_should(reference: Any) -> None:
    given = {"dropout": 0.3, "drawn": False, "learned": False, "training": True}
    block = run_block(reference.TransformerBlock, torch.randn(8, 8, 10), **given)
    assert len(block.outputs) == 8
    assert _refused(block.outputs) == []


def test_dropping_whole_tokens_is_not_dropping_each_number_by_itself() -> None:
    whole = torch.ones(8, 8, 6)
    dropped, again = (whole * (torch.rand(8, 8, 1) > 0.3) / 0.7 for _ in range(2))
    assert _refused(observe_drops("x", whole, dropped, again, 0.3)) == [
        "in training, each number of x is dropped independently, and differently at each call"
    ]


def test_what_is_kept_must_be_scaled() -> None:
    whole = torch.ones(8, 8, 6)
    dropped, again = (whole * (torch.rand(8, 8, 6) > 0.3) for _ in range(2))
    assert _refused(observe_drops("x", whole, dropped, again, 0.3)) == [
        "in training, each number of x is zero or scaled by 1 / (1 - p)"
    ]


def _observed(cls: type[nn.Module], **options: Any) -> Any:
    usual: dict[str, Any] = {
        "tokens": torch.arange(48).reshape(8, 6) % 11,
        "direction": torch.linspace(-1, 1, 11),
        "context_length": 6,
        "emb_dim": 8,
        "num_heads": 2,
        "num_layers": 2,
        "dropout": 0.3,
        "drawn": False,
        "learned": False,
        "training": False,
    }
    return run_gpt(cls, **usual | options).outputs


def test_the_reference_model_drops_as_it_should(reference: Any) -> None:
    outputs = _observed(reference.TinyGPT, training=True)
    assert len(outputs) == 11
    assert outputs["dropout of the attention of each block"] == "0.3; 0.3"
    assert _refused(outputs) == []


def test_a_model_that_drops_in_eval_mode_is_seen(reference: Any) -> None:
    class AlwaysDrops(nn.Dropout):
        def train(self, mode: bool = True) -> nn.Module:
            return super().train()

    class DropsInEval(reference.TinyGPT):  # type: ignore[misc]
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.dropout = AlwaysDrops(0.3)

    assert _refused(_observed(DropsInEval, training=True)) == ["in eval mode, nothing is dropped"]


def test_a_model_that_drops_after_its_blocks_is_seen(reference: Any) -> None:
    class DropsLast(reference.TinyGPT):  # type: ignore[misc]
        def forward(self, tokens: Tensor) -> Tensor:
            x = self.token_embedding(tokens) + self.position_embedding.weight[: tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            logits: Tensor = self.head(self.norm(self.dropout(x)))
            return logits

    assert "in training, something of the sum of both embeddings is dropped" in _refused(
        _observed(DropsLast, training=True)
    )


# The model


def test_attention_class_is_called_with_what_the_contract_says(reference: Any) -> None:
    outputs = _observed(reference.TinyGPT, num_layers=3)
    assert outputs["attention_class is called with"] == "; ".join(["8, 8, 6, 2"] * 3)


def test_a_model_without_attention_is_told_so() -> None:
    class NoAttention(nn.Module):
        def __init__(self, *arguments: Any) -> None:
            super().__init__()

    with pytest.raises(Unmet, match="never calls `attention_class`"):
        _observed(NoAttention)


def test_the_order_of_drawing_shows(reference: Any) -> None:
    class AnotherOrder(reference.TinyGPT):  # type: ignore[misc]
        def __init__(self, *arguments: Any) -> None:
            torch.rand(1)
            super().__init__(*arguments)

    def logits(cls: type[nn.Module], drawn: bool) -> Any:
        torch.manual_seed(7)
        return _observed(cls, drawn=drawn)["logits"]

    assert torch.equal(logits(reference.TinyGPT, drawn=True), logits(reference.TinyGPT, drawn=True))
    assert not torch.allclose(logits(reference.TinyGPT, drawn=True), logits(AnotherOrder, drawn=True))
    assert torch.equal(logits(reference.TinyGPT, drawn=False), logits(AnotherOrder, drawn=False))


def test_a_bias_of_the_head_shows_in_the_count_alone(reference: Any) -> None:
    class Biased(reference.TinyGPT):  # type: ignore[misc]
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.head.bias = nn.Parameter(torch.ones(11))

    def observed(cls: type[nn.Module], name: str, **options: Any) -> Any:
        torch.manual_seed(7)
        return _observed(cls, **options)[name]

    for drawn in (False, True):
        assert torch.equal(*(observed(cls, "logits", drawn=drawn) for cls in (reference.TinyGPT, Biased)))
    assert observed(Biased, TO_TRAIN, learned=True) == observed(reference.TinyGPT, TO_TRAIN, learned=True) + 11


def test_the_stand_in_for_attention_sees_no_future() -> None:
    attention = StandIn(4, 4, 6, 0.0, 2)
    x = torch.randn(1, 5, 4)
    assert torch.allclose(attention(x)[:, :3], attention(x[:, :3]))


# Training and writing


def test_a_loss_that_is_no_float_is_seen(reference: Any) -> None:
    def tensor(model: nn.Module, optimizer: Any, tokens: Tensor) -> Tensor:
        return torch.tensor(reference.train_step(model, optimizer, tokens))

    given = {"tokens": torch.ones(2, 1, 3).long(), "embedding": torch.randn(2, 3), "head": torch.randn(3, 2)}
    observed = run_train_step(tensor, **given, momentum=0.0, adam=False, left_over=False, training=False)
    assert observed.outputs["each loss is a float"] is False
    assert observed.outputs["losses"].shape == (2,)


@pytest.mark.parametrize("training", [True, False])
def test_a_model_that_is_put_into_eval_mode_is_seen_where_it_was_in_training(reference: Any, training: bool) -> None:
    def evaluated(model: nn.Module, optimizer: Any, tokens: Tensor) -> float:
        loss: float = reference.train_step(model, optimizer, tokens)
        model.eval()
        model(tokens)
        return loss

    given = {"tokens": torch.ones(2, 1, 3).long(), "embedding": torch.randn(2, 3), "head": torch.randn(3, 2)}
    usual = {"momentum": 0.0, "adam": False, "left_over": False, "training": training}
    name = "a model in training mode reads in training mode"
    assert run_train_step(evaluated, **given, **usual).outputs.get(name) is (False if training else None)
    assert run_train_step(reference.train_step, **given, **usual).outputs.get(name) is (True if training else None)


def test_the_model_that_writes_refuses_more_than_its_context(reference: Any) -> None:
    def uncropped(model: nn.Module, tokens: Tensor, max_new_tokens: int) -> Tensor:
        output: Tensor = model(tokens)
        return output

    with pytest.raises(ValueError, match="sees at most 3 tokens, and was given 4"):
        run_generate(uncropped, torch.ones(1, 4).long(), torch.randn(3, 5, 5), 2, training=False)


def test_gradients_that_are_switched_off_for_good_are_seen_and_switched_on_again() -> None:
    def careless(model: nn.Module, tokens: Tensor, max_new_tokens: int) -> Tensor:
        torch.set_grad_enabled(False)
        model(tokens)
        return tokens

    observed = run_generate(careless, torch.ones(1, 2).long(), torch.randn(3, 5, 5), 1, training=False)

    assert observed.outputs["gradients are on afterwards"] is False
    assert torch.is_grad_enabled()


# Reading heads


def _maps(function: Any, modes: int = 0b1001, hooks: int = 3) -> Any:
    return run_maps(
        function,
        tokens=torch.tensor([[1, 0, 2, 1]]),
        embedding=torch.randn(3, 5),
        W_query=torch.randn(2, 6, 5),
        W_key=torch.randn(2, 6, 5),
        b_query=torch.zeros(2, 6),
        num_heads=2,
        nested=True,
        modes=modes,
        hooks=hooks,
    ).outputs


def test_each_row_of_the_reference_s_maps_adds_up_to_1(reference: Any) -> None:
    maps = _maps(reference.attention_maps)["maps"]
    assert maps.shape == (2, 1, 2, 4, 4)
    assert torch.allclose(maps.sum(dim=-1), torch.ones(2, 1, 2, 4))


@pytest.mark.parametrize(
    ("drawn", "modes"),
    [
        (0b1001, "training, then eval, then eval, then eval, then training, gradients on"),
        (0b0110, "eval, then training, then training, then training, then eval, gradients on"),
    ],
)
def test_both_modes_are_tried_and_seen(reference: Any, drawn: int, modes: str) -> None:
    assert _maps(reference.attention_maps, drawn)["the model's mode afterwards"] == modes


def test_a_mode_that_is_left_in_half_of_the_modules_is_seen(reference: Any) -> None:
    def half(model: nn.Module, tokens: Tensor) -> Tensor:
        maps: Tensor = reference.attention_maps(model, tokens)
        model.get_submodule("dropout").training = False
        return maps

    assert _maps(half)["the model's mode afterwards"].startswith("some in training, some in eval, then eval, then ")


def test_gradients_that_maps_leave_off_are_seen_and_switched_on_again(reference: Any) -> None:
    def careless(model: nn.Module, tokens: Tensor) -> Tensor:
        maps: Tensor = reference.attention_maps(model, tokens)
        torch.set_grad_enabled(False)
        return maps

    assert _maps(careless)["the model's mode afterwards"].endswith(", gradients off")
    assert torch.is_grad_enabled()


def test_hooks_that_stay_are_counted(reference: Any) -> None:
    def forgetful(model: nn.Module, tokens: Tensor) -> Tensor:
        model.register_forward_hook(lambda *_: None)
        maps: Tensor = reference.attention_maps(model, tokens)
        return maps

    assert _maps(forgetful, hooks=3)["hooks left in the model"] == 3 + 5


def test_hooks_of_others_stay(reference: Any) -> None:
    assert _maps(reference.attention_maps, hooks=4)["hooks left in the model"] == 4

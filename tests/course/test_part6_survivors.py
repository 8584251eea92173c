"""Wrong models and wrong training that look right: each is caught, or told in the contract's terms."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

PART = "part6_training"
REFERENCE = Path(__file__).resolve().parents[2] / "solutions" / f"{PART}.py"

WRONG = {
    "a norm that keeps the first variance": (
        "LayerNorm",
        "variance = x.var(dim=-1, keepdim=True, correction=0)",
        "self.kept = getattr(self, 'kept', x.var(dim=-1, keepdim=True, correction=0)); variance = self.kept",
    ),
    "a norm that is another one in eval mode": (
        "LayerNorm",
        "return normalised * self.scale + self.shift",
        "return normalised * self.scale + self.shift if self.training else normalised",
    ),
    "a scale that does not learn": (
        "LayerNorm",
        "return normalised * self.scale + self.shift",
        "return normalised * self.scale.detach() + self.shift",
    ),
    "a feed forward whose first layer does not learn": (
        "FeedForward",
        "output: Tensor = self.layers(x)",
        "self.layers[0].requires_grad_(False); output = self.layers(x)",
    ),
    "a feed forward that mixes the tokens": (
        "FeedForward",
        "output: Tensor = self.layers(x)",
        "output = self.layers(x) + 0.01 * x.mean(dim=0)",
    ),
    "an attention that does not learn": (
        "TransformerBlock",
        "self.attention(self.attention_norm(x))",
        "self.attention(self.attention_norm(x)).detach()",
    ),
    "an attention that is asked twice": (
        "TransformerBlock",
        "self.attention(self.attention_norm(x))",
        "self.attention(self.attention(self.attention_norm(x)))",
    ),
    "the same numbers dropped on both paths": (
        "TransformerBlock",
        "x = x + self.dropout(self.attention(self.attention_norm(x)))",
        "x = self.dropout(x + self.attention(self.attention_norm(x)))",
    ),
    "places that do not learn": (
        "TinyGPT",
        "self.position_embedding(places)",
        "self.position_embedding(places).detach()",
    ),
    "places from the end": ("TinyGPT", "self.position_embedding(places)", "self.position_embedding(places.flip(0))"),
    "a last block that is left out": ("TinyGPT", "for block in self.blocks:", "for block in self.blocks[:2]:"),
    "dropout of the tokens alone": (
        "TinyGPT",
        "x = self.dropout(x)",
        "x = self.dropout(self.token_embedding(tokens)) + self.position_embedding(places)",
    ),
    "one number more in the context": (
        "TinyGPT",
        "nn.Embedding(context_length, emb_dim)",
        "nn.Embedding(context_length + 1, emb_dim)",
    ),
    "a loss of the last sentence": (
        "next_token_loss",
        "logits[:, :-1].flatten(0, 1)",
        "logits[-1:, :-1].flatten(0, 1)",
    ),
    "a loss that is smoothed": (
        "next_token_loss",
        "tokens[:, 1:].flatten())",
        "tokens[:, 1:].flatten(), label_smoothing=0.01)",
    ),
    "a loss that does not go backward": (
        "next_token_loss",
        "return functional.cross_entropy(guesses",
        "return functional.cross_entropy(guesses.detach()",
    ),
    "gradients that are clipped": (
        "train_step",
        "optimizer.step()",
        "nn.utils.clip_grad_norm_(model.parameters(), 0.1); optimizer.step()",
    ),
    "an optimiser of its own": (
        "train_step",
        "optimizer.zero_grad()",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.5); optimizer.zero_grad()",
    ),
    "dropout off for ever": ("train_step", "model.train()", "model.eval()"),
    "a loss of another forward": ("train_step", "return loss.item()", "return 0.99 * loss.item()"),
    "a loop that stops at the context": (
        "generate",
        "for _ in range(max_new_tokens):",
        "for _ in range(min(max_new_tokens, model.context_length)):",
    ),
    "a token that comes twice": ("generate", "[tokens, newest]", "[tokens, newest, newest]"),
    "the mode that is not put back": ("attention_maps", "model.train(training)", "model.train()"),
    "one hook that stays": ("attention_maps", "for hook in hooks:", "for hook in hooks[1:]:"),
    "maps of the first sentence": ("attention_maps", "model(tokens)", "model(tokens[:1])"),
    "weights that have been dropped": (
        "attention_maps",
        "torch.softmax(scaled, dim=-1)",
        "functional.dropout(torch.softmax(scaled, dim=-1), 0.1)",
    ),
}


@pytest.mark.parametrize(("step", "right", "wrong"), WRONG.values(), ids=WRONG)
def test_what_is_almost_right_is_caught(mark_step: MarkStep, step: str, right: str, wrong: str) -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    assert right in text
    assert mark_step(PART, step, text.replace(right, wrong)).verdict.startswith(("wrong_", "raised"))


def test_a_loss_that_is_a_tensor_is_told_as_one_whatever_else_is_wrong(mark_step: MarkStep) -> None:
    text = REFERENCE.read_text(encoding="utf-8").replace("return loss.item()", "return loss")
    marks = mark_step(PART, "train_step", text.replace("    optimizer.zero_grad()\n", ""))

    assert marks.diagnosis is None
    assert next(check.message for check in marks.checks if not check.passed).startswith("each loss is a float:")


@pytest.mark.parametrize(
    "norm",
    [
        "nn.LayerNorm(4)(x)",
        "functional.layer_norm(x, x.shape[-1:])",
        "torch.native_layer_norm(x, x.shape[-1:], None, None, 1e-5)[0]",
        "functional.group_norm(x.flatten(0, -2), 1).view(x.shape)",
        "functional.rms_norm(x - x.mean(-1, True), x.shape[-1:])",
    ],
)
def test_torch_s_own_norm_is_forbidden(mark_step: MarkStep, norm: str) -> None:
    text = REFERENCE.read_text(encoding="utf-8").replace(
        "return normalised * self.scale + self.shift", f"return {norm}"
    )
    assert mark_step(PART, "LayerNorm", text).verdict == "forbidden"


def test_a_context_length_that_is_not_kept_is_told(mark_step: MarkStep) -> None:
    text = REFERENCE.read_text(encoding="utf-8").replace("self.context_length = context_length", "pass")
    marks = mark_step(PART, "TinyGPT", text)
    assert marks.first_failure is not None
    assert marks.first_failure.message == (
        "context_length: your TinyGPT has no attribute `context_length`: the docstring names it, so write `self.context_length = ...`"
    )


def test_a_model_that_is_not_cropped_for_is_told(mark_step: MarkStep) -> None:
    text = REFERENCE.read_text(encoding="utf-8").replace("tokens[:, -model.context_length :]", "tokens")
    marks = mark_step(PART, "generate", text)
    assert marks.diagnosis is not None
    assert marks.diagnosis.id == "not_cropped"


def test_a_block_is_told_which_of_the_student_s_own_steps_is_wrong(mark_text: Callable[..., object]) -> None:
    text = REFERENCE.read_text(encoding="utf-8").replace("+ 1e-5", "+ 1e-3")
    marks: object = mark_text(PART, text, "LayerNorm", "TransformerBlock")
    _, block = marks.parts[0].steps  # type: ignore[attr-defined]
    assert "It calls your `LayerNorm`" in block.diagnosis.says


SQUEEZED_MODULE = """
class {step}({step}):
    def forward(self, x):
        return super().forward(x).squeeze()
"""
SQUEEZED_FUNCTION = """
_right = {step}

def {step}(*given):
    return _right(*given).squeeze()
"""


@pytest.mark.parametrize(
    ("step", "squeezed"),
    [
        *((step, SQUEEZED_MODULE) for step in ("LayerNorm", "FeedForward", "TransformerBlock", "TinyGPT")),
        *((step, SQUEEZED_FUNCTION) for step in ("generate", "attention_maps")),
    ],
)
def test_a_dimension_of_one_that_is_squeezed_away_is_missed(mark_step: MarkStep, step: str, squeezed: str) -> None:
    text = REFERENCE.read_text(encoding="utf-8") + squeezed.format(step=step)
    assert mark_step(PART, step, text).verdict == "wrong_shape"

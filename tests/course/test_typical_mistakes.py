"""Mistakes of parts 5 and 6 as students write them: each is one change of the reference, and is told by name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.grading.results import StepMarks

MarkStep = Callable[..., StepMarks]

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"

HIDDEN_IN_TILE = """if causal:
            places = torch.arange(start, start + scores.shape[-1])
            hidden = places > torch.arange(tq)[:, None]"""
CUT_OUT = """everything = torch.ones(tq, keys.shape[-2], dtype=torch.bool).triu(1)
        if causal:
            hidden = everything[:, tile]"""
ONE_KEPT = "return 0 if self.keys is None else self.keys.shape[2]"
JOINED = """guesses = logits[:, :-1].flatten(0, 1)
    return functional.cross_entropy(guesses, tokens[:, 1:].flatten())"""
ATTENDED = "x = x + self.dropout(self.attention(self.attention_norm(x)))"
FED = "return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))"

PART5 = {
    "NoShapeAtFirst": ("KVCache", ONE_KEPT, "return self.keys.shape[2]"),
    "NoSizeAtFirst": ("KVCache", ONE_KEPT, "return self.keys.size(2)"),
    "cut_out_of_everything": ("flash_attention", HIDDEN_IN_TILE, CUT_OUT),
}

PART6 = {
    "MeanOverEverything": ("LayerNorm", "x.mean(dim=-1, keepdim=True)", "x.mean()"),
    "NormAtTheEnd": (
        "TransformerBlock",
        f"{ATTENDED}\n        {FED}",
        "x = x + self.dropout(self.attention(x))\n"
        "        x = x + self.dropout(self.feed_forward(self.attention_norm(x)))\n"
        "        return self.feed_forward_norm(x)",
    ),
    "FeedForwardNormalisedBehind": (
        "TransformerBlock",
        FED,
        "return x + self.dropout(self.feed_forward_norm(self.feed_forward(x)))",
    ),
    "ShortcutNotRenewed": (
        "TransformerBlock",
        f"{ATTENDED}\n        {FED}",
        f"{ATTENDED.replace('x =', 'added =')}\n        {FED.replace('_norm(x)', '_norm(added)')}",
    ),
    "PlacesOfTheWholeContext": ("TinyGPT", "torch.arange(tokens.shape[1]", "torch.arange(self.context_length"),
    "joined_before_the_shift": (
        "next_token_loss",
        JOINED,
        "return functional.cross_entropy(logits.flatten(0, 1)[:-1], tokens.flatten()[1:])",
    ),
    "LastNormUnused": ("TinyGPT", "self.head(self.norm(x))", "self.head(x)"),
    "batch_and_places_not_joined": (
        "next_token_loss",
        JOINED,
        "return functional.cross_entropy(logits[:, :-1], tokens[:, 1:])",
    ),
    "gradients_off_for_good": (
        "generate",
        "with torch.no_grad():\n        for _ in range(max_new_tokens)",
        "torch.set_grad_enabled(False)\n    if True:\n        for _ in range(max_new_tokens)",
    ),
}

CASES = {
    name: (part, *case)
    for part, cases in (("part5_inference", PART5), ("part6_training", PART6))
    for name, case in cases.items()
}


@pytest.mark.parametrize(("mistake", "case"), CASES.items(), ids=CASES)
def test_a_mistake_in_a_students_words_is_named(
    mark_step: MarkStep, mistake: str, case: tuple[str, str, str, str]
) -> None:
    assert _named(mark_step, *case) == mistake


def test_scores_of_all_made_anew_for_each_tile_are_told_as_a_mask_of_all_is(mark_step: MarkStep) -> None:
    tiled, cut = (
        "queries @ keys[..., tile, :].transpose(-2, -1)",
        "(queries @ keys.transpose(-2, -1))[..., tile]",
    )
    assert _named(mark_step, "part5_inference", "flash_attention", tiled, cut) == "cut_out_of_everything"


def _named(mark_step: MarkStep, part: str, step: str, old: str, new: str) -> str:
    """Return the mistake that is named where one place of the reference is changed."""
    text = (SOLUTIONS / f"{part}.py").read_text(encoding="utf-8")
    assert old in text
    diagnosis = mark_step(part, step, text.replace(old, new)).diagnosis
    assert diagnosis is not None
    return diagnosis.id

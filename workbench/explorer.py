"""Train the model whose heads the lectures show, and write its files: `python -m workbench.explorer`.

The model is the reference, trained on repeated random sequences as by `attn train`. <live-gpt>
loads the model. <head-explorer> shows the weights of each head before and after training, in
thousandths. <induction-birth> shows the weights every ten steps, as texts: one base-64 digit for
each weight. The digits of a row add up to 63. Row i of a map has the i + 1 weights of token i.
"""

import json
import string
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from autograder.workspace import COURSE
from workbench.induction import LONGEST, SCORED, UNSEEN, induction_scores, induction_task, repeated
from workbench.own_code import loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL, Code, encoded, maps_of
from workbench.trainer import Training

WIDGETS = COURSE.root / "docs" / "widgets"
HEADS, BIRTH = WIDGETS / "trained_heads.json", WIDGETS / "induction_birth.json"
TRAINED = WIDGETS / "trained_model.safetensors"
SEED, EVERY = 123, 10

LETTERS = 26
SIGNS = "abcdefghijklmnopqrstuvwxyz ,.'-?"
"""The characters of the tokens. A model sees only numbers, so any characters will do."""

TEXTS = ("to be or not to be", "she sells sea shells")
TEXT = 2 * "question"
"""The text of <induction-birth>: eight different letters, twice."""

DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
STEEP = 0.2
"""The loss falls steeply if it falls by more than this in ten steps. Batches differ by less."""

Json = dict[str, Any]


def heads(code: Code, model: nn.Module) -> Json:
    """Return the induction scores of the heads, and their weights on each input, in thousandths."""
    maps = {name: maps_of(code, model, tokens).tolist() for name, tokens in inputs().items()}
    return {
        "scores": _rounded(induction_scores(_maps_on_others(code, model), LONGEST), 3),
        "maps": {name: [[_rows(head, 1000) for head in layer] for layer in own] for name, own in maps.items()},
    }


def moment(code: Code, model: nn.Module) -> Json:
    """Return the scores of the heads, their maps on TEXT, and the guess after each token."""
    text, others = encoded(TEXT, SIGNS), _maps_on_others(code, model)
    previous = others.diagonal(-1, dim1=-2, dim2=-1)[..., :LONGEST].mean(dim=(1, 3))
    with torch.no_grad():
        sure, guesses = model(text[None])[0].softmax(dim=-1).max(dim=-1)
    return {
        "previous": _rounded(previous, 2),
        "induction": _rounded(induction_scores(others, LONGEST), 2),
        "maps": [[_digits(head) for head in layer] for layer in maps_of(code, model, text).tolist()],
        "guesses": "".join(SIGNS[guess] for guess in guesses),
        "percent": [round(100 * chance) for chance in sure.tolist()],
    }


def _maps_on_others(code: Code, model: nn.Module) -> Float[Tensor, "layers b h t t"]:
    others = repeated(torch.full((SCORED,), LONGEST), 2 * LONGEST, torch.Generator().manual_seed(UNSEEN))
    maps: Tensor = code[MODEL].attention_maps(model, others)
    return maps.detach()


def inputs() -> dict[str, Tensor]:
    """Return the inputs of <head-explorer> by name: random sequences, one without repetition, and texts."""
    generator = torch.Generator().manual_seed(SEED)
    random = {
        "9 random letters, twice": torch.randperm(LETTERS, generator=generator)[:9].repeat(2),
        "5 random letters, four times": torch.randperm(LETTERS, generator=generator)[:5].repeat(4),
        "16 random letters, once": torch.randperm(LETTERS, generator=generator)[:16],
    }
    return random | {text: encoded(text, SIGNS) for text in TEXTS}


def fall(losses: list[float]) -> tuple[int, int]:
    """Return the steps between which the loss falls steeply, or (0, 0). losses: one every ten steps."""
    steep = [place for place, (one, later) in enumerate(pairwise(losses)) if one - later > STEEP]
    return (steep[0] * EVERY, (steep[-1] + 1) * EVERY) if steep else (0, 0)


def _rounded(scores: Float[Tensor, "layers h"], digits: int) -> list[list[float]]:
    return [[round(score, digits) for score in layer] for layer in scores.tolist()]


def _rows(head: list[list[float]], whole: int) -> list[list[int]]:
    """Return a map's rows: row i has the weights up to token i, as integers that add up to `whole`."""
    return [_parts(row[: place + 1], whole) for place, row in enumerate(head)]


def _parts(weights: list[float], whole: int) -> list[int]:
    """Return `whole` times the weights, rounded to integers whose sum is `whole`."""
    found = [int(whole * weight) for weight in weights]
    lost = sorted(range(len(weights)), key=lambda place: found[place] - whole * weights[place])
    for place in lost[: whole - sum(found)]:
        found[place] += 1
    return found


def _digits(head: list[list[float]]) -> str:
    return "".join(DIGITS[part] for row in _rows(head, len(DIGITS) - 1) for part in row)


def train(code: Code, steps: int) -> None:
    """Train the model and write the three files."""
    training, moments, losses = Training(code, induction_task(), SEED), list[Json](), list[float]()
    before = heads(code, training.model)
    for step in range(steps + 1):
        if step == steps:
            after = heads(code, training.model)
            TRAINED.write_bytes(packed_file(training.model, SIGNS))
        seen = moment(code, training.model) if step % EVERY == 0 else {}
        losses.append(training.step())
        moments += [{"loss": round(losses[-1], 2)} | seen] if seen else []
    shown = {
        "steps": steps,
        "losses": [[step, round(losses[step], 3)] for step in range(0, steps, EVERY)],
        "scores": {"before": before["scores"], "after": after["scores"]},
        "inputs": [
            {
                "name": name,
                "tokens": [SIGNS[token] for token in tokens],
                "before": before["maps"][name],
                "after": after["maps"][name],
            }
            for name, tokens in inputs().items()
        ],
    }
    falls = fall([one["loss"] for one in moments])
    birth = {"every": EVERY, "tokens": list(TEXT), "fall": falls, "moments": moments}
    for path, content in ((HEADS, shown), (BIRTH, birth)):
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with loaded(COURSE.solutions, [ATTENTION, MODEL]) as reference:
        train(reference, induction_task().steps)

"""What <head-explorer> of the lectures shows: where each head looks on several inputs, before and after training.

`python -m workbench.explorer` trains the reference on repeated random sequences, as `attn train` does, and writes
docs/widgets/trained_heads.json anew, and beside it the model itself, for <live-gpt>. Weights are whole thousandths, of which each
row has 1000, and a row ends with the token that looks: what comes later has no weight.
"""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from autograder.workspace import COURSE
from workbench.induction import induction_task
from workbench.own_code import CodeFailed, loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL, Code, maps_of
from workbench.trainer import Training

HEADS = COURSE.root / "docs" / "widgets" / "trained_heads.json"
TRAINED = COURSE.root / "docs" / "widgets" / "trained_model.safetensors"
SEED = 123
LOSS_EVERY = 10

LETTERS = 26
SIGNS = "abcdefghijklmnopqrstuvwxyz ,.'-?"
"""How tokens are written here. In training they are numbers, so any signs will do."""

TEXTS = ("to be or not to be", "she sells sea shells")


def explored(training: Training, code: Code, steps: int) -> dict[str, Any]:
    """Train a model, and return what the explorer shows of it, as plain numbers. code: the modules of the parts that it is made of."""
    inputs = _inputs()
    before = _look(training, code, inputs)
    losses = [training.step() for _ in range(steps)]
    after = _look(training, code, inputs)
    return {
        "steps": steps,
        "losses": [[step, round(losses[step], 3)] for step in range(0, steps, LOSS_EVERY)],
        "scores": {"before": before["scores"], "after": after["scores"]},
        "inputs": [
            {
                "name": name,
                "tokens": [SIGNS[token] for token in tokens],
                "before": before["maps"][name],
                "after": after["maps"][name],
            }
            for name, tokens in inputs.items()
        ],
    }


def _inputs() -> dict[str, Tensor]:
    """Return what the model reads, by name: sequences such as it is trained on, one without any repetition, and texts."""
    generator = torch.Generator().manual_seed(SEED)
    random = {
        "9 random letters, twice": torch.randperm(LETTERS, generator=generator)[:9].repeat(2),
        "5 random letters, four times": torch.randperm(LETTERS, generator=generator)[:5].repeat(4),
        "16 random letters, once": torch.randperm(LETTERS, generator=generator)[:16],
    }
    return random | {text: torch.tensor([SIGNS.index(sign) for sign in text]) for text in TEXTS}


def _look(training: Training, code: Code, inputs: dict[str, Tensor]) -> dict[str, Any]:
    """Return the induction score of each head as it is now, and its weights on each input."""
    scores = training.observe().scores
    assert scores is not None
    maps = {name: maps_of(code, training.model, tokens, "cpu") for name, tokens in inputs.items()}
    return {
        "scores": [[round(score, 3) for score in layer] for layer in scores.tolist()],
        "maps": {name: _rows(weights.tolist()) for name, weights in maps.items()},
    }


def _rows(maps: list[list[list[list[float]]]]) -> list[list[list[list[int]]]]:
    """Return the maps of all layers and heads in thousandths, each row up to the token that looks."""
    return [[[parts(row[: place + 1], 1000) for place, row in enumerate(head)] for head in layer] for layer in maps]


def parts(weights: list[float], whole: int) -> list[int]:
    """Return weights that add up to 1 as whole numbers that add up to `whole`: those that lose most are rounded up."""
    found = [int(whole * weight) for weight in weights]
    lost = sorted(range(len(weights)), key=lambda place: found[place] - whole * weights[place])
    for place in lost[: whole - sum(found)]:
        found[place] += 1
    return found


def write(path: Path, shown: dict[str, Any]) -> None:
    """Write the file that the widget loads."""
    path.write_text(json.dumps(shown, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        with loaded(COURSE.solutions, [ATTENTION, MODEL]) as reference:
            training = Training(reference, induction_task(), SEED, "cpu")
            write(HEADS, explored(training, reference, induction_task().steps))
            TRAINED.write_bytes(packed_file(training.model, SIGNS))
    except CodeFailed as error:
        raise SystemExit(f"The reference is needed, and cannot be loaded: {error}") from None

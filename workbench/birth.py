"""What <induction-birth> of the lectures shows: a training, looked at every ten steps.

`python -m workbench.birth` repeats the training of `workbench.explorer`, and writes docs/widgets/induction_birth.json anew.
A map is a text with a character a weight, row by row, each up to the token that looks: a digit of base 64, and the digits of
a row add up to 63.
"""

import string
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from autograder.workspace import COURSE
from workbench.explorer import SEED, SIGNS, parts, write
from workbench.induction import LONGEST, SCORED, UNSEEN, induction_scores, induction_task, repeated
from workbench.own_code import CodeFailed, loaded
from workbench.task import ATTENTION, MODEL, Code, maps_of_all
from workbench.trainer import Training

BIRTH = COURSE.root / "docs" / "widgets" / "induction_birth.json"
EVERY = 10
TEXT = 2 * "question"
"""Eight different letters, twice: for the model they are numbers, as in training."""

DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
STEEP = 0.2
"""By more than this the loss falls in ten steps where it is said to fall: batches differ by less."""


def born(code: Code, steps: int) -> dict[str, Any]:
    """Return what the widget shows of a training, as plain data. code: the modules of the parts that make and train the model."""
    training = Training(code, induction_task(), SEED, "cpu")
    scored = repeated(torch.full((SCORED,), LONGEST), 2 * LONGEST, torch.Generator().manual_seed(UNSEEN))
    text = torch.tensor([SIGNS.index(sign) for sign in TEXT])
    moments = []
    for _ in range(0, steps + 1, EVERY):
        seen = _look(code, training, scored, text)
        loss, *_ = [training.step() for _ in range(EVERY)]
        moments.append({"loss": round(loss, 2)} | seen)
    return {
        "every": EVERY,
        "tokens": list(TEXT),
        "fall": fall([moment["loss"] for moment in moments]),
        "moments": moments,
    }


def _look(code: Code, training: Training, scored: Int[Tensor, "b t"], text: Int[Tensor, " t"]) -> dict[str, Any]:
    """Return what the model does now: the scores of its heads, their maps on the text, and what it guesses after each token."""
    with torch.no_grad():
        chances = training.model(text[None])[0].softmax(dim=-1)
    on_others = maps_of_all(code, training.model, scored)
    on_text = maps_of_all(code, training.model, text[None])[:, 0]
    sure, guesses = chances.max(dim=-1)
    return {
        "previous": _hundredths(previous_scores(on_others, LONGEST)),
        "induction": _hundredths(induction_scores(on_others, LONGEST)),
        "maps": [[_digits(head) for head in layer] for layer in on_text.tolist()],
        "guesses": "".join(SIGNS[guess] for guess in guesses),
        "percent": [round(100 * chance) for chance in sure.tolist()],
    }


def previous_scores(maps: Float[Tensor, "layers b h t t"], period: int) -> Float[Tensor, "layers h"]:
    """Return how much each head puts, on average, on the token before the one that looks.

    period: as for `induction_scores`; the mean is over the places at which an induction head looks later.
    """
    return maps.diagonal(-1, dim1=-2, dim2=-1)[..., :period].mean(dim=(1, 3))


def fall(losses: list[float]) -> tuple[int, int]:
    """Return from which step to which the loss falls steeply. losses: of every ten steps; (0, 0) if it does nowhere."""
    steep = [place for place, (one, later) in enumerate(pairwise(losses)) if one - later > STEEP]
    return (steep[0] * EVERY, (steep[-1] + 1) * EVERY) if steep else (0, 0)


def _hundredths(scores: Float[Tensor, "layers h"]) -> list[list[float]]:
    return [[round(score, 2) for score in layer] for layer in scores.tolist()]


def _digits(rows: list[list[float]]) -> str:
    whole = len(DIGITS) - 1
    return "".join(DIGITS[part] for place, row in enumerate(rows) for part in parts(row[: place + 1], whole))


if __name__ == "__main__":
    try:
        with loaded(COURSE.solutions, [ATTENTION, MODEL]) as reference:
            write(BIRTH, born(reference, induction_task().steps))
    except CodeFailed as error:
        raise SystemExit(f"The reference is needed, and cannot be loaded: {error}") from None

"""The data of <induction-birth>: the file in the tree is sound, shows what its page says, and is what the code makes."""

import json
from itertools import chain, pairwise
from typing import Any

import pytest

from workbench.explorer import BIRTH, DIGITS, EVERY, SEED, STEEP, TEXT, moment
from workbench.induction import induction_task
from workbench.task import Code
from workbench.trainer import Training

FILE: dict[str, Any] = json.loads(BIRTH.read_text(encoding="utf-8"))
MOMENTS: list[dict[str, Any]] = FILE["moments"]
LOSSES = [moment["loss"] for moment in MOMENTS]
FALL, FALLEN = (step // EVERY for step in FILE["fall"])


def rows_of(text: str) -> list[list[int]]:
    digits = [DIGITS.index(digit) for digit in text]
    starts = [place * (place + 1) // 2 for place in range(len(TEXT) + 1)]
    return [digits[start:end] for start, end in pairwise(starts)]


def maps_of(moment: dict[str, Any]) -> list[str]:
    return [head for layer in moment["maps"] for head in layer]


def test_the_weights_of_each_row_add_up_to_one() -> None:
    maps = [head for moment in MOMENTS for head in maps_of(moment)]

    assert {len(head) for head in maps} == {len(TEXT) * (len(TEXT) + 1) // 2}
    assert {sum(row) for head in maps for row in rows_of(head)} == {len(DIGITS) - 1}


def test_the_loss_falls_where_it_is_marked_and_nowhere_else() -> None:
    steps = [one - later for one, later in pairwise(LOSSES)]

    assert min(steps[FALL:FALLEN]) > STEEP
    assert max(steps[:FALL] + steps[FALLEN:]) < STEEP
    assert LOSSES[FALL] - LOSSES[FALLEN] > (LOSSES[0] - LOSSES[-1]) / 2


def test_the_head_that_looks_at_the_token_before_is_ahead_of_the_induction_head() -> None:
    previous, induction = (half_way(which) for which in ("previous", "induction"))

    assert FALL <= previous < induction <= FALLEN


def half_way(which: str) -> int:
    """When the head that is best at the end first has half of its last score."""
    scores = [[score for layer in moment[which] for score in layer] for moment in MOMENTS]
    best = scores[-1].index(max(scores[-1]))
    return next(place for place, now in enumerate(scores) if now[best] >= scores[-1][best] / 2)


@pytest.mark.slow
def test_it_begins_as_the_code_begins_now(code: Code) -> None:
    training, then = Training(code, induction_task(), SEED), MOMENTS[0]
    now = moment(code, training.model)

    assert training.step() == pytest.approx(then["loss"], abs=0.02)
    for head, kept in zip(maps_of(now), maps_of(then), strict=True):
        assert [*chain(*rows_of(head))] == pytest.approx([*chain(*rows_of(kept))], abs=1)

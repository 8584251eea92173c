"""The data of <head-explorer>: the file in the tree has the form that the widget reads, and the script is deterministic."""

import json
from typing import Any

from workbench.explorer import HEADS
from workbench.induction import ENOUGH

TRAINED: dict[str, Any] = json.loads(HEADS.read_text(encoding="utf-8"))


def test_each_row_ends_with_the_token_that_looks_and_its_weights_add_up_to_one() -> None:
    for read in TRAINED["inputs"]:
        for head in (head for moment in ("before", "after") for layer in read[moment] for head in layer):
            assert [len(row) for row in head] == list(range(1, len(read["tokens"]) + 1))
            assert {sum(row) for row in head} == {1000}
            assert min(weight for row in head for weight in row) >= 0


def test_training_has_grown_an_induction_head_where_there_was_none() -> None:
    before, after = (max(map(max, TRAINED["scores"][moment])) for moment in ("before", "after"))

    assert before < 0.2
    assert after >= ENOUGH

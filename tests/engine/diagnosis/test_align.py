"""Where values depart: at the first operation after which nothing is known again, whatever names and ways the code has."""

from functools import partial
from typing import Any

import pytest
import torch

from autograder.course.answer import Answer
from autograder.course.probing import failure_of, observe
from autograder.course.tolerances import Tolerance
from autograder.course.trace import Made, Trace
from autograder.course.tracing import trace
from autograder.diagnosis.align import Alignment, Place
from autograder.exam.model import KeyCase, PaperCase

PATH = "own.py"

REFERENCE = """
def attend(queries, keys, values):
    hidden = torch.ones(4, 5, dtype=torch.bool).triu(diagonal=1)
    scores = queries @ keys.mT
    scaled = scores.masked_fill(hidden, float("-inf")) / 3**0.5
    weights = torch.softmax(scaled, dim=-1)
    return weights @ values
"""

WHOLE = """
def attend(queries, keys, values):
    scores = queries @ keys.mT
    return scores.argmax(dim={dim})
"""

NUMBERS = torch.Generator().manual_seed(0)
INPUTS = {
    "queries": torch.randn(4, 3, generator=NUMBERS),
    "keys": torch.randn(5, 3, generator=NUMBERS),
    "values": torch.randn(5, 6, generator=NUMBERS),
}


def place(*body: str) -> Place | None:
    """Return where a function of these lines departs from the reference; its first line is line 2."""
    text = "\n    ".join(["def attend(queries, keys, values):", *body])
    answer, seen = _traced(text)
    expected, _ = _traced(REFERENCE)
    case = PaperCase("part", "attend", "numbers", 0, False, {name: value.numpy() for name, value in INPUTS.items()})
    key = KeyCase(expected, Tolerance(1e-4, 1e-5), {}, {}, _way_of(REFERENCE))
    return Alignment(case, key, seen, answer, {PATH: text}).place


def _traced(text: str) -> tuple[Answer, Trace]:
    names: dict[str, Any] = {"torch": torch}
    exec(compile(text, PATH, "exec"), names)
    return trace(partial(observe, None, names["attend"], INPUTS, 0, False), failure_of, [PATH])


def _way_of(text: str) -> tuple[Made, ...]:
    return tuple(one.made for one in _traced(text)[1].operations)


def told(*body: str) -> str:
    """Return what is said of the place."""
    found = place(*body)
    return found.diagnosis().where if found else ""


MASK = "later = torch.arange(5) > torch.arange(4)[:, None]"
SCORES = "s = queries @ keys.T"
MASKED = "s = torch.where(later, -torch.inf, s)"
WEIGHTS = "w = torch.softmax(s / 3**0.5, dim=1)"


@pytest.mark.parametrize(
    "body",
    [
        (MASK, SCORES, MASKED, WEIGHTS, "return w @ values"),
        (MASK, "s = (queries / 3**0.5) @ keys.T", MASKED, "return s.softmax(1) @ values"),
        (
            MASK,
            "s = (keys @ queries.T).T",
            MASKED,
            "e = (s / 3**0.5).exp()",
            "return e @ values / e.sum(1, keepdim=True)",
        ),
    ],
)
def test_a_right_way_departs_nowhere(body: tuple[str, ...]) -> None:
    assert place(*body) is None


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            (MASK, SCORES, MASKED, "w = torch.softmax(s / 3**0.5, dim=0)", "return w @ values"),
            "The first wrong value comes out of line 5: `torch.softmax(s / 3**0.5, dim=0)`. Before it, `s` of line 4 is right.",
        ),
        (
            (MASK, SCORES, MASKED, "s = s * 3**0.5", "w = torch.softmax(s, dim=1)", "return w @ values"),
            "The first wrong value comes out of line 5: `s * 3**0.5`. Before it, `s` of line 4 is right.",
        ),
        (
            (MASK, "s = queries @ keys.reshape(3, 5)", MASKED, WEIGHTS, "return w @ values"),
            "The first wrong value comes out of line 3: `keys.reshape(3, 5)`.",
        ),
        (
            (MASK, SCORES, MASKED, WEIGHTS, "return w @ values.flip(0)"),
            "The first wrong value comes out of line 6: `values.flip(0)`. Before it, `w` of line 5 is right.",
        ),
    ],
)
def test_the_first_operation_is_told_after_which_nothing_is_known_again(body: tuple[str, ...], says: str) -> None:
    assert told(*body) == says


def test_a_reshape_before_the_product_is_told_and_not_the_product() -> None:
    says = told(MASK, "turned = keys.reshape(3, 5)", "s = queries @ turned", MASKED, WEIGHTS, "return w @ values")

    assert says == "The first wrong value comes out of line 3: `keys.reshape(3, 5)`."


def test_rows_that_are_made_one_by_one_are_known() -> None:
    rows = ("rows = []", "for query in queries:", "    rows.append(keys @ query)", "s = torch.stack(rows)")
    says = told(MASK, *rows, MASKED, "w = torch.softmax(s / 3**0.5, dim=0)", "return w @ values")

    assert says.startswith("The first wrong value comes out of line 8:")
    assert says.endswith("Before it, `s` of line 7 is right.")


def test_what_is_returned_too_early_is_told() -> None:
    says = "Your answer is `torch.softmax(s / 3**0.5, dim=1)` of line 5, which is not the result."

    assert told(MASK, SCORES, MASKED, WEIGHTS, "return w") == says


def test_the_spot_is_the_expression_in_its_line() -> None:
    found = place(MASK, SCORES, MASKED, "wörter = torch.softmax(s / 3**0.5, dim=0)", "return wörter @ values")

    assert found
    assert found.spot.text[found.spot.first : found.spot.last] == "torch.softmax(s / 3**0.5, dim=0)"


def test_a_step_that_raises_is_told_what_departs_before() -> None:
    says = told(MASK, SCORES, MASKED, "w = torch.softmax(s / 3**0.5, dim=0)", "return values @ w")

    assert says.startswith("The first wrong value comes out of line 5:")


def test_nothing_is_told_where_nothing_departs_before_a_line_that_raises() -> None:
    assert place(SCORES, "return s @ values.T") is None


@pytest.mark.parametrize("body", ["return None", "return queries.tolist()"])
def test_what_is_no_tensor_has_no_place(body: str) -> None:
    assert place(body) is None


def test_an_answer_of_whole_numbers_has_no_place_as_these_are_alike_by_chance() -> None:
    case = PaperCase("part", "attend", "numbers", 0, False, {name: value.numpy() for name, value in INPUTS.items()})
    key = KeyCase(_traced(WHOLE.format(dim=0))[0], Tolerance(1e-4, 1e-5), {}, {}, _way_of(WHOLE.format(dim=0)))
    text = WHOLE.format(dim=1)
    answer, seen = _traced(text)

    assert Alignment(case, key, seen, answer, {PATH: text}).place is None


def test_where_all_numbers_come_out_in_another_order_what_brings_them_there_is_told() -> None:
    rows = ("rows = []", "for one in w:", "    total = 0", "    for weight, value in zip(one, values):")
    added = ("        total = total + weight * value", "    rows.append(total)", "return torch.stack(rows, dim=1)")
    says = told(MASK, SCORES, MASKED, WEIGHTS, *rows, *added)

    assert "line 12: `torch.stack(rows, dim=1)`." in says


def test_what_a_loop_has_made_when_it_raises_departs_nowhere() -> None:
    loop = ("out = torch.zeros(2)", "for i in range(4):", "    out[i] = (queries[i] * keys[0]).sum()", "return out")

    assert place(*loop) is None


def test_a_mask_of_large_numbers_hides_as_infinity_does_when_it_is_scaled_later() -> None:
    says = told(
        MASK, SCORES, "s = s.masked_fill(later, -1e9) / 3**0.5", "w = torch.softmax(s, dim=0)", "return w @ values"
    )

    assert (
        says
        == "The first wrong value comes out of line 5: `torch.softmax(s, dim=0)`. Before it, `s` of line 4 is right."
    )

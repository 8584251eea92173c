"""Where values depart: at the first operation after which nothing is known again, whatever names and ways the code has."""

from functools import partial
from typing import Any

import pytest
import torch

from autograder.course.answer import Answer
from autograder.course.model import Tolerance
from autograder.course.probing import failure_of, observe
from autograder.course.trace import Made, Trace
from autograder.course.tracing import trace
from autograder.diagnosis.divergence import Place
from autograder.diagnosis.reference_trace import way_to_answer
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
    way = way_to_answer(case, key, seen, answer, {PATH: text})
    return way.place() if way else None


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
            "Up to line 4 all is right (`s`); line 5 makes something else: `torch.softmax(s / 3**0.5, dim=0)`.",
        ),
        (
            (MASK, SCORES, MASKED, "s = s * 3**0.5", "w = torch.softmax(s, dim=1)", "return w @ values"),
            "Up to line 4 all is right (`s`); line 5 makes something else: `s * 3**0.5`.",
        ),
        (
            (MASK, "s = queries @ keys.reshape(3, 5)", MASKED, WEIGHTS, "return w @ values"),
            "Line 3 makes something else: `keys.reshape(3, 5)`.",
        ),
        (
            (MASK, SCORES, MASKED, WEIGHTS, "return w @ values.flip(0)"),
            "Up to line 5 all is right (`w`); line 6 makes something else: `values.flip(0)`.",
        ),
    ],
)
def test_the_first_operation_is_told_after_which_nothing_is_known_again(body: tuple[str, ...], says: str) -> None:
    assert told(*body) == says


def test_a_reshape_before_the_product_is_told_and_not_the_product() -> None:
    says = told(MASK, "turned = keys.reshape(3, 5)", "s = queries @ turned", MASKED, WEIGHTS, "return w @ values")

    assert says == "Line 3 makes something else: `keys.reshape(3, 5)`."


def test_rows_that_are_made_one_by_one_are_known() -> None:
    rows = ("rows = []", "for query in queries:", "    rows.append(keys @ query)", "s = torch.stack(rows)")
    says = told(MASK, *rows, MASKED, "w = torch.softmax(s / 3**0.5, dim=0)", "return w @ values")

    assert says.startswith("Up to line 7 all is right (`s`); line 8 makes something else:")


def test_a_mask_is_blamed_for_what_is_made_with_it() -> None:
    found = place("later = torch.ones(4, 5).triu(diagonal=0) == 1", SCORES, MASKED, WEIGHTS, "return w @ values")

    assert found
    assert found.spot.line == 2


def test_what_is_used_without_an_operation_that_belongs_before_lacks_it() -> None:
    body = (MASK, SCORES, MASKED, "w = s / 3**0.5", "return w @ values")

    assert told(*body) == "Look at lines 5 and 6: in `w @ values` something else must stand than `w` alone."


def test_what_a_loop_arranges_again_and_again_is_followed_to_its_begin() -> None:
    body = (
        "turned = keys",
        "for _ in range(2):",
        "    turned = turned.clone()",
        "return torch.softmax(turned, dim=-1)",
    )

    assert told(*body).startswith("Look at lines 4 and 5: in `torch.softmax(turned, dim=-1)`")


def test_what_is_returned_too_early_is_told() -> None:
    says = "Up to line 5 all is right (`w`), but what line 6 returns is not the result: `w`."

    assert told(MASK, SCORES, MASKED, WEIGHTS, "return w") == says


def test_the_spot_is_the_expression_in_its_line() -> None:
    found = place(MASK, SCORES, MASKED, "wörter = torch.softmax(s / 3**0.5, dim=0)", "return wörter @ values")

    assert found
    assert found.spot.text[found.spot.first : found.spot.last] == "torch.softmax(s / 3**0.5, dim=0)"


def test_a_step_that_raises_is_told_what_departs_before() -> None:
    says = told(MASK, SCORES, MASKED, "w = torch.softmax(s / 3**0.5, dim=0)", "return values @ w")

    assert says.startswith("Up to line 4 all is right (`s`); line 5 makes something else:")


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

    assert way_to_answer(case, key, seen, answer, {PATH: text}) is None


def test_recognising_ends_when_the_time_is_over() -> None:
    def over() -> None:
        raise TimeoutError

    answer, seen = _traced(REFERENCE)
    case = PaperCase("part", "attend", "numbers", 0, False, {})
    with pytest.raises(TimeoutError):
        way_to_answer(
            case, KeyCase(answer, Tolerance(1e-4, 1e-5), {}, {}, ()), seen, answer, {PATH: REFERENCE}, check=over
        )


def test_where_all_numbers_come_out_in_another_order_what_brings_them_there_is_told() -> None:
    rows = ("rows = []", "for one in w:", "    total = 0", "    for weight, value in zip(one, values):")
    added = ("        total = total + weight * value", "    rows.append(total)", "return torch.stack(rows, dim=1)")
    says = told(MASK, SCORES, MASKED, WEIGHTS, *rows, *added)

    assert says.endswith("line 12 makes something else: `torch.stack(rows, dim=1)`.")


def test_a_tensor_without_numbers_is_told_where_it_is_made() -> None:
    says = told(MASK, "part = keys[:, 3:]", "s = queries @ part.T + part", MASKED, WEIGHTS, "return w @ values")

    assert says == "Line 3 makes a tensor without any numbers: `keys[:, 3:]`."


def test_what_a_loop_has_made_when_it_raises_departs_nowhere() -> None:
    loop = ("out = torch.zeros(2)", "for i in range(4):", "    out[i] = (queries[i] * keys[0]).sum()", "return out")

    assert place(*loop) is None


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ("w = torch.softmax(s / 3, dim=1)", "What goes in is multiplied by 1/3; it should be 1/√3."),
        ("w = torch.softmax(s * 0.3, dim=1)", "What goes in is multiplied by 0.3; it should be 1/√3."),
    ],
)
def test_of_another_factor_it_is_told_which_and_which_is_right(weights: str, says: str) -> None:
    found = place(MASK, SCORES, MASKED, weights, "return w @ values")

    assert found
    assert found.diagnosis().what == says


def test_of_what_the_reference_does_not_scale_no_factor_is_told_where_it_scales_something_else() -> None:
    found = place(MASK, SCORES, MASKED, WEIGHTS, "twice = 2 * values", "return w @ twice")

    assert found
    assert "twice" in found.spot.text or "2 * values" in found.spot.text
    assert found.factors is None


def test_an_operation_that_leaves_an_input_as_it_is_is_the_place_and_not_what_returns_it() -> None:
    says = told("values = values / 1", "return values")

    assert says == "Line 2 makes something else: `values / 1`."


def test_what_only_comes_out_as_a_multiple_is_told_no_factor() -> None:
    found = place(MASK, SCORES, "s = torch.stack([s, s]).sum(0)", MASKED, WEIGHTS, "return w @ values")

    assert found
    assert found.spot.line == 4
    assert found.factors is None


def test_pieces_in_another_order_are_told_where_they_are_joined_and_not_where_they_are_cut() -> None:
    says = told(
        MASK, SCORES, MASKED, WEIGHTS, "pieces = torch.unbind(w @ values, dim=1)", "return torch.cat(pieces).view(4, 6)"
    )

    assert says.endswith("line 7 makes something else: `torch.cat(pieces)`.")


def test_a_mask_of_large_numbers_hides_as_infinity_does_when_it_is_scaled_later() -> None:
    says = told(
        MASK, SCORES, "s = s.masked_fill(later, -1e9) / 3**0.5", "w = torch.softmax(s, dim=0)", "return w @ values"
    )

    assert says == "Up to line 4 all is right (`s`); line 5 makes something else: `torch.softmax(s, dim=0)`."

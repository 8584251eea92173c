"""The cause by code that cannot do what it is there for: what its text shows, and what it does not."""

import pytest

from autograder.diagnosis.syntax import by_idleness
from autograder.submission.model import Source


def said(*body: str, others: str = "") -> str:
    """Return what is said of a function of these lines; its first line is line 2."""
    text = "\n    ".join(["def step(x):", *body])
    found = by_idleness("step", Source.module("own.py", f"{text}\n\n{others}"))
    return found.says if found else ""


def said_of_layer(*forward: str) -> str:
    """Return what is said of a class whose `forward` has these lines; the first is line 5."""
    head = ["class Inner(nn.Module):", "    pass", "class step(nn.Module):", "    def forward(self, x):"]
    text = "\n".join(head + [f"        {line}" for line in forward])
    found = by_idleness("step", Source.module("own.py", text))
    return found.says if found else ""


def test_what_stands_after_a_return_is_told() -> None:
    assert said("w = x * 2", "return w", "y = w + 1", "return y") == "Line 3 returns: line 4 is never reached."


def test_what_is_left_of_a_stub_is_not() -> None:
    assert said("return x * 2", "raise NotImplementedError('step 1')") == ""


def test_a_return_that_ends_a_loop_in_its_first_turn_is_told() -> None:
    says = said("total = 0", "for row in x:", "    total = total + row", "    return total")

    assert says == "Line 5 returns in the first turn of the loop: there is no second one."


@pytest.mark.parametrize(
    "body", [("    if row:", "        return row"), ("    if row:", "        continue", "    return row")]
)
def test_a_return_that_a_loop_may_pass_by_is_not(body: tuple[str, ...]) -> None:
    assert said("for row in x:", *body) == ""


@pytest.mark.parametrize("made", ["Inner()", "nn.Linear(2, 2)"])
def test_a_layer_that_forward_makes_is_told(made: str) -> None:
    says = said_of_layer(f"return {made}(x)")

    assert says == f"`{made}` is made anew in each call of `forward`, with other numbers. Make it in `__init__`."


def test_a_layer_without_numbers_may_be_made_in_forward() -> None:
    assert said_of_layer("return nn.Softmax(dim=-1)(x)") == ""


def test_functions_of_a_loop_that_look_at_its_last_turn_are_told() -> None:
    says = said("hooks = []", "for m in x:", "    hooks.append(lambda given: m + given)", "return hooks")

    assert says.startswith("All functions that the loop makes look at one `m`, which is the last one when they run.")


@pytest.mark.parametrize("function", ["lambda given, m=m: m + given", "lambda given: given"])
def test_functions_of_a_loop_that_have_what_they_need_are_not(function: str) -> None:
    assert said("hooks = []", "for m in x:", f"    hooks.append({function})", "return hooks") == ""


def test_the_line_is_shown() -> None:
    found = by_idleness("step", Source.module("own.py", "def step(x):\n    return x\n    y = x\n"))

    assert found
    assert found.spot
    assert (found.spot.line, found.spot.text) == (2, "    return x")

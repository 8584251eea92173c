"""The cause by code that cannot do what it is there for: what its text shows, and what it does not."""

import ast
from collections.abc import Iterator

import pytest

from autograder.diagnosis.idle import by_idleness
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


def test_a_value_that_is_overwritten_before_it_is_used_is_told() -> None:
    says = said("s = x @ x", "w = s.softmax(-1)", "w = s.relu()", "return w @ x")

    assert says == "Line 4 overwrites `w` before anything uses what line 3 makes."


@pytest.mark.parametrize(
    "body",
    [
        ("w = x @ x", "w = w.relu()", "return w"),
        ("w = 0", "w = x * 2", "return w"),
        ("w = x * 2", "if x.dim() > 1:", "    w = x", "return w"),
        ("w = x * 2", "w += x", "return w"),
        ("w = x * 2", "w[0] = 1", "w = w + 1", "return w"),
    ],
)
def test_a_value_that_is_used_or_may_be_is_not(body: tuple[str, ...]) -> None:
    assert said(*body) == ""


def test_each_statement_is_looked_at_as_often_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, walk = [0], ast.walk

    def counted(node: ast.AST) -> Iterator[ast.AST]:
        for one in walk(node):
            looked[0] += 1
            yield one

    monkeypatch.setattr(ast, "walk", counted)
    counts = []
    for times in (100, 200):
        looked[0] = 0
        said(*(f"a{number} = f()" for number in range(times)), "return x")
        counts.append(looked[0])

    assert counts[1] < 2.1 * counts[0]


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

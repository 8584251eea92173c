"""Which statements make what others use: a name, an attribute, a list that is filled, step by step back."""

import ast

import pytest

from autograder.diagnosis.operators.edits import edits
from autograder.diagnosis.operators.flow import steps_back


def steps(text: str, begin: str) -> dict[str, int]:
    """Return how many steps back from a statement each of those lies that it depends on, as they are written."""
    statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    found = steps_back(statements, [one for one in statements if ast.unparse(one) == begin])
    return {ast.unparse(one).splitlines()[0]: far for one, far in found.items()}


def test_what_makes_what_is_used_is_one_step_back_and_what_makes_that_two() -> None:
    text = "def f(x):\n    a = x + 1\n    b = a * 2\n    c = x - 1\n    return b"

    assert steps(text, "return b") == {"return b": 0, "b = a * 2": 1, "a = x + 1": 2, "def f(x):": 3}


@pytest.mark.parametrize(
    ("makes", "uses"),
    [
        ("self.layer = Linear(2, 3)", "y = self.layer(x)"),
        ("self.register_buffer('mask', ones)", "y = x * self.mask"),
        ("self.blocks.append(Block())", "for block in self.blocks:\n    pass"),
        ("rows.append(row)", "y = stack(rows)"),
        ("out[0] = row", "y = out.sum()"),
        ("total = zeros(3)", "total += row"),
    ],
)
def test_what_changes_what_is_used_makes_it(makes: str, uses: str) -> None:
    assert steps(f"{makes}\n{uses}", uses)[makes] == 1


def test_edits_of_what_makes_what_is_used_near_come_before_those_of_what_does_not() -> None:
    text = "def f(x, y):\n    a = x.sum(dim=0)\n    b = y.sum(dim=0)\n    return b.item(3)\n"

    edited = [one.line for one in edits(text, near=[4]) if one.operator == "dimension"]

    assert edited.index(3) < edited.index(2)

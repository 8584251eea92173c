"""Statements of a text: which one a line belongs to, how it reads on one line, and which names it gives."""

import ast

import pytest

from autograder.diagnosis.places import Statements

TEXT = """\
def project(x):
    queries, keys = (
        x @ W_query,
        x @ W_key,
    )
    for query in queries:
        total = (query *
                 keys)
    match total:
        case None: return
    return total
"""


@pytest.mark.parametrize(
    ("line", "first"), [(2, 2), (4, 2), (5, 2), (6, 6), (7, 7), (8, 7), (9, 9), (10, 10), (11, 11)]
)
def test_a_line_belongs_to_the_innermost_statement(line: int, first: int) -> None:
    assert Statements(TEXT).first_line(line) == first


def test_a_statement_of_several_lines_reads_on_one() -> None:
    assert Statements(TEXT).text(2) == "queries, keys = ( x @ W_query, x @ W_key, )"


def test_a_loop_reads_as_its_header() -> None:
    assert Statements(TEXT).text(6) == "for query in queries:"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("y = VALUE", "y"),
        ("y: Tensor = VALUE", "y"),
        ("self.mask = VALUE", "self.mask"),
        ("y, z = VALUE", "y, z"),
        ("y, z = x, VALUE", "z"),
        ("for row in VALUE: pass", "row"),
        ("y = f(VALUE)", ""),
        ("def f():\n    return VALUE", "return"),
        ("y = [one for row, one in VALUE]", "row, one"),
        ("VALUE", ""),
    ],
)
def test_the_value_that_a_statement_gives_a_name_has_that(text: str, name: str) -> None:
    value = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "VALUE")

    assert Statements(text).name(_span(value)) == name


def test_what_is_written_into_has_the_name_of_the_whole() -> None:
    assert Statements("y[0, 1] = x").name((1, 1, 0, 7)) == "y"


def _span(node: ast.expr) -> tuple[int, ...]:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0

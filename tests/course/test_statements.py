"""Statements: which one a line belongs to, and how it reads on one line."""

import pytest

from autograder.course.statements import Statements

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


def test_a_line_between_statements_belongs_to_itself() -> None:
    assert Statements("x = 1\n\ny = 2\n").first_line(2) == 2


def test_a_statement_of_several_lines_reads_on_one() -> None:
    assert Statements(TEXT).text(2) == "queries, keys = ( x @ W_query, x @ W_key, )"


def test_a_loop_reads_as_its_header() -> None:
    assert Statements(TEXT).text(6) == "for query in queries:"


def test_a_return_that_shares_its_line_is_none_of_its_own() -> None:
    statements = Statements("def f(x):\n    if x: return 1\n    return 2\n")

    assert [number for number in (1, 2, 3) if statements.returns(number)] == [3]


def test_a_loop_and_what_stands_in_it_repeat() -> None:
    assert [number for number in range(1, 12) if Statements(TEXT).repeats(number)] == [6, 7, 8]


@pytest.mark.parametrize(("line", "given"), [(2, ["keys", "rows"]), (4, ["rows"]), (9, [])])
def test_the_names_that_a_function_gives_from_a_line_on_are_known(line: int, given: list[str]) -> None:
    text = "def f(x):\n    keys = x\n    keys = keys.T\n    keys += 1\n    for rows in keys:\n        print(rows)\n\n\ndone = 1\n"

    assert Statements(text).assigned_from(line) == tuple(given)


def test_what_comprehensions_go_through_has_names() -> None:
    text = "first = [query @ key for query, key in pairs\n         if query]\n"

    assert Statements(text).comprehended(1) == ["query", "key"]

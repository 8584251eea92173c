"""A text is cut into what is run one after the other: what cannot be parsed costs itself alone, wherever it stands."""

import ast

import pytest

from autograder.submission.chunks import names_of, pieces_of

GOOD = "def first(x):\n    return x\n"
LAST = "def last(x):\n    return x\n"


def _names(text: str) -> list[str]:
    """Return the names that a text defines, and `!` with the line for what cannot be parsed."""
    return [
        name
        for piece in pieces_of(text, "a.py")
        for name in (
            [f"!{piece.error.lineno}"] if piece.error else [getattr(one, "name", "-") for one in piece.statements]
        )
    ]


def test_a_text_that_is_python_is_its_statements() -> None:
    assert _names("import os\n\n" + GOOD + "x = 1\n") == ["-", "first", "-"]


@pytest.mark.parametrize(
    "broken",
    [
        "def broken(x):\n    return (x\n",
        "def broken(x)\n    return x\n",
        "def broken(x):\nreturn x +\n",
        "def broken(x):\n    y = 1\n      z = 2\n    return x\n",
        'def broken(x):\n    """Never closed.\n    return x\n',
        "def broken(x):\n\treturn x\n        return y\n",
        "retrun = = 3\n",
        "print(first(1)\n",
        "def broken(\n    x,\n) -> int:\n    return (x\n",
    ],
)
def test_what_cannot_be_parsed_costs_itself_alone(broken: str) -> None:
    names = _names(GOOD + broken + LAST)
    assert (names[0], names[-1]) == ("first", "last")
    assert all(name.startswith("!") for name in names[1:-1])
    assert len(names) > 2


def test_line_numbers_are_those_of_the_file() -> None:
    _, wrong, last = pieces_of(GOOD + "def broken(:\n    pass\n" + LAST, "a.py")
    assert wrong.error is not None
    assert (wrong.error.lineno, wrong.error.filename, last.statements[0].lineno) == (3, "a.py", 5)


@pytest.mark.parametrize(
    "whole",
    [
        '"""A text\n\nfrom the margin\ndef of it\n"""\n',
        "def whole(\n    x,\n) -> int:\n    return x\n",
        "@staticmethod\ndef whole(x):\n    return x\n",
        "if True:\n    x = 1\nelse:\n    x = 2\n",
        "try:\n    import os\nexcept ImportError:\n    pass\n",
        "def whole(x):\n    return x\n# a comment\n    # another\n",
    ],
)
def test_a_statement_over_several_lines_at_the_margin_stays_whole_beside_what_is_broken(whole: str) -> None:
    names = _names(whole + "def broken(:\n    pass\n" + LAST)
    assert [name for name in names if name.startswith("!")] == [f"!{whole.count(chr(10)) + 1}"]


@pytest.mark.parametrize("text", ["\0", "(" * 5_000, "x = '\n" * 500])
def test_no_text_raises(text: str) -> None:
    assert all(piece.error for piece in pieces_of(text, "a.py"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = y = 1", {"x", "y"}),
        ("import os.path", {"os"}),
        ("from os import path as p", {"p"}),
        ("def f(x): y = x", {"f"}),
        ("for i in range(3): print(i)", {"i"}),
        ("print(x)", set()),
        ("assert x", set()),
    ],
)
def test_a_statement_gives_names_a_meaning(text: str, names: set[str]) -> None:
    assert names_of(ast.parse(text).body[0]) == names

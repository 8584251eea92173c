"""A text as Python reads it: what cannot be parsed costs itself alone, and what a step calls, and where it is defined, is found."""

import ast
import time
from pathlib import Path

import pytest

from autograder.submission.model import Source
from autograder.submission.parsed import Broken, Definitions, ParsedModule, names_of, parse

GOOD = "def first(x):\n    return x\n"
LAST = "def last(x):\n    return x\n"


def _names(text: str) -> list[str]:
    """Return the names that a text defines, and `!` with the line for what cannot be parsed."""
    return [
        f"!{piece.error.lineno}" if isinstance(piece, Broken) else getattr(piece, "name", "-")
        for piece in ParsedModule(text, "a.py").pieces
    ]


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


@pytest.mark.parametrize(
    "whole",
    [
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


def test_a_string_with_lines_at_the_margin_stays_whole_beside_what_is_broken() -> None:
    assert _names('"""A part.\n\nIt has lines.\n"""\n' + GOOD + "def broken(:\n    pass\n" + LAST)[1:] == [
        "first",
        "!7",
        "last",
    ]


@pytest.mark.parametrize(
    "marks", ["<<<<<<< mine\n    return x\n=======\n    return -x\n>>>>>>> yours\n", "I tried this:\n    return x\n"]
)
def test_lines_at_the_margin_within_a_function_cost_this_function(marks: str) -> None:
    names = _names(GOOD + "def cut(x):\n    y = x\n" + marks + LAST)
    assert [name for name in names if name[0] != "!"] == ["first", "last"]


def test_a_syntax_error_quotes_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(GOOD + "def broken(x):\n    return (x\n" + LAST)
    (broken,) = ParsedModule(file.read_text(), str(file)).broken
    assert (broken.error.lineno, broken.error.text, broken.error.offset) == (4, "    return (x", 12)


def test_an_unclosed_docstring_costs_its_function_alone() -> None:
    others = [f'def f{number}(x):\n    """Say it."""\n    return x\n' for number in range(4)]
    assert _names(others[0] + 'def broken(x):\n    """Never closed.\n' + "".join(others[1:])) == [
        "f0",
        "!5",
        "f1",
        "f2",
        "f3",
    ]


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


@pytest.mark.parametrize("text", ["import a" + ".a" * 15_000, "x = f'" + "{0}" * 12_000 + "'", "x = 0x" + "f" * 5_000])
def test_what_costs_python_too_much_is_not_parsed(text: str) -> None:
    with pytest.raises(SyntaxError, match="too many dots, braces or digits"):
        parse(text)


HELPER = """
def own(x):
    return x
"""

TOO_DEEP = f"x = {'1+' * 50_000}1\n"


def definitions(text: str) -> Definitions:
    modules = {"part": text, "helper": HELPER, "deep": TOO_DEEP}
    return Definitions({name: Source.module(f"{name}.py", of) for name, of in modules.items()})


CALLS = {
    "directly": "def a(x):\n    return x\n\ndef step(x):\n    return a(x)\n",
    "in a method": "def a(x):\n    return x\n\nclass step:\n    def forward(self, x):\n        return a(x)\n",
    "as what it inherits from": "class a:\n    pass\n\nclass step(a):\n    pass\n",
    "in a lambda": "def a(x):\n    return x\n\ndef step(x):\n    return (lambda y: a(y))(x)\n",
    "under another name": "def a(x):\n    return x\n\nb = a\n\ndef step(x):\n    return b(x)\n",
    "through another": "def a(x):\n    return x\n\ndef b(x):\n    return a(x)\n\ndef step(x):\n    return b(x)\n",
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_what_a_step_calls_is_found(text: str) -> None:
    assert ("part", "a") in definitions(text).called_by("part", "step")


IN_ANOTHER_MODULE = {
    "imported": "from helper import own\ndef step(x):\n    return own(x)\n",
    "by the module": "import helper\ndef step(x):\n    return helper.own(x)\n",
    "imported with everything else": "from helper import *\ndef step(x):\n    return own(x)\n",
    "imported inside": "def step(x):\n    from helper import own\n    return own(x)\n",
}


@pytest.mark.parametrize("text", IN_ANOTHER_MODULE.values(), ids=IN_ANOTHER_MODULE)
def test_what_a_step_calls_of_another_module_is_found(text: str) -> None:
    assert ("helper", "own") in definitions(text).called_by("part", "step")


NO_CALL = {
    "a function beside it": "def a(x):\n    return x\n\ndef step(x):\n    return x\n",
    "an argument": "def a(x):\n    return x\n\ndef step(x, a):\n    return x / a\n",
    "a variable": "def a(x):\n    return x\n\ndef step(x):\n    a = x + 1\n    return a\n",
    "an argument of a method": "def a(x):\n    return x\n\nclass step:\n    def forward(self, a):\n        return a\n",
    "a variable of a comprehension": "def a(x):\n    return x\n\ndef step(x):\n    return [a for a in x]\n",
    "an attribute": "import torch\ndef a(x):\n    return x\n\ndef step(x):\n    return torch.a(x.a)\n",
    "itself": "def step(x):\n    return step(x)\n",
    "what does not parse": "def step(x:\n",
    "no such step": "def a(x):\n    return x\n",
    "what cannot be searched for its depth": "from deep import *\ndef step(x):\n    return f(x)\n",
}


@pytest.mark.parametrize("text", NO_CALL.values(), ids=NO_CALL)
def test_what_is_no_call_is_not_found(text: str) -> None:
    assert definitions(text).called_by("part", "step") == set()


MANY = ", ".join(f"a{number}" for number in range(3_000))

HOSTILE = {
    "a sum of thousands": "def step(x):\n    return " + "'a' + " * 2_500 + "'b'\n",
    "a thousand elif": "if a:\n    b = 1\n" + "elif a:\n    b = 1\n" * 2_000 + "step = b\n",
    "names that all mean all others": f"{MANY} = {MANY}\nstep = a0\n",
    "chains of attributes": "def step(x):\n" + f"    x{'.b' * 900}\n" * 50,
    "lambdas in lambdas": f"step = [{('lambda: ' * 150 + '1, ') * 90}]\n",
    "a line of many definitions": "".join(f"x{number} = x{number + 1}; " for number in range(6_000)) + "step = x0\n",
    "a name with many meanings": "a = 1\nx = a()\n" * 10_000 + "step = x\n",
}

LONG = 30.0
"""Seconds of processor time: what grows with the square of a text, or worse, takes longer, and anything else a fraction."""


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_makes_the_search_long(text: str) -> None:
    begun = time.process_time()

    definitions(text).called_by("part", "step")

    assert time.process_time() - begun < LONG


def test_each_place_is_told_in_which_a_step_is_defined() -> None:
    text = "def step(x):\n    return x\n\nclass step:\n    pass\n"
    assert definitions(text).places_of("part", "step") == ["line 1", "line 4"]


def test_what_is_only_assigned_is_no_definition() -> None:
    assert definitions("step = 1\nstep = 2\n").places_of("part", "step") == []


def test_a_definition_that_is_nested_more_deeply_than_it_can_be_compared_is_begun() -> None:
    stub = "def step(x):\n    raise NotImplementedError\n"
    deep = f"def step(x):\n    y = {'1+' * 2_000}1\n    raise NotImplementedError\n"

    assert not definitions(stub).begun("part", "step", stub)
    assert definitions(deep).begun("part", "step", stub)

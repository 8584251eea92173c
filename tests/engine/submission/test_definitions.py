"""What the text of a submission shows: which of the student's own functions a step calls, and where each is defined."""

import ast
import time

import pytest

from autograder.submission.definitions import Definitions
from autograder.submission.model import Block, Source

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
    "imported under another name": "from helper import own as mine\ndef step(x):\n    return mine(x)\n",
    "by the module": "import helper\ndef step(x):\n    return helper.own(x)\n",
    "by the module under another name": "import helper as h\ndef step(x):\n    return h.own(x)\n",
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
    "an attribute": "def a(x):\n    return x\n\ndef step(x):\n    return x.a\n",
    "itself": "def step(x):\n    return step(x)\n",
    "a text that does not parse": "def step(x:\n",
    "no such step": "def a(x):\n    return x\n",
    "what cannot be searched for its depth": "from deep import *\ndef step(x):\n    return f(x)\n",
}


@pytest.mark.parametrize("text", NO_CALL.values(), ids=NO_CALL)
def test_what_is_no_call_is_not_found(text: str) -> None:
    assert definitions(text).called_by("part", "step") == set()


def test_another_cell_that_does_not_parse_hides_nothing() -> None:
    cells = ("def broken(:", "def step(x):\n    return a(x)", "def a(x):\n    return x")
    blocks = tuple(Block(f"part.ipynb, cell {number}", text) for number, text in enumerate(cells, start=1))

    found = Definitions({"part": Source("part.ipynb", blocks, is_notebook=True)})

    assert found.called_by("part", "step") == {("part", "a")}


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


def test_names_that_lead_to_ever_more_names_are_followed_so_far() -> None:
    text = "".join(f"a{number} = a{number + 1}\n" for number in range(5_000)) + "def step(x):\n    return a0(x)\n"

    assert 500 <= len(definitions(text).called_by("part", "step")) < 1_000


def test_a_definition_that_begins_in_the_middle_of_a_line_is_read_alone() -> None:
    text = 'x = """é\n"""; y = x; step = y\n'

    assert definitions(text).called_by("part", "step") == {("part", "y"), ("part", "x")}
    assert definitions(text).called_by("part", "y") == {("part", "x")}


def test_the_definition_is_known_that_a_line_is_in() -> None:
    text = "@decorated\ndef a(x):\n    y = x\n    return y\n\nclass b:\n    def c(self):\n        pass\n\nd = a\n"
    found = definitions(text)

    assert [found.name_at("part.py", line) for line in (3, 4, 5, 8, 10)] == ["a", "a", "", "b", ""]
    assert found.name_at("helper.py", 3) == "own"


def test_no_other_file_is_read_for_the_line_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("autograder.submission.definitions.parse", lambda text: read.append(text) or ast.parse(text))
    definitions("x = 1").name_at("helper.py", 3)

    assert read == [HELPER]


def test_of_a_file_that_cannot_be_parsed_no_definition_is_known_by_a_line() -> None:
    assert definitions("def a(x):\n    return x\n\ndef broken(:\n").name_at("part.py", 2) == ""


def test_a_definition_that_is_nested_more_deeply_than_it_can_be_compared_is_begun() -> None:
    stub = "def step(x):\n    raise NotImplementedError\n"
    deep = f"def step(x):\n    y = {'1+' * 2_000}1\n    raise NotImplementedError\n"

    assert not definitions(stub).begun("part", "step", stub)
    assert definitions(deep).begun("part", "step", stub)

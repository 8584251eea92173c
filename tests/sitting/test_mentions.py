"""Torch's own functions are found in the syntax tree wherever a step uses them, and only there."""

import time

import pytest

from autograder.exam.model import Exam
from autograder.sitting.mentions import Mentions, Use
from autograder.sitting.submission import Source

NAMES = ("softmax", "log_softmax")

USES = {
    "module function": "def step(x):\n    return torch.softmax(x, -1)\n",
    "method": "def step(x):\n    return x.softmax(-1)\n",
    "functional": "def step(x):\n    return torch.nn.functional.log_softmax(x, -1).exp()\n",
    "imported under another name": "from torch import softmax as s\ndef step(x):\n    return s(x, -1)\n",
    "imported with everything else": "from torch.nn.functional import *\ndef step(x):\n    return softmax(x, -1)\n",
    "imported inside": "def step(x):\n    from torch.nn.functional import softmax\n    return softmax(x, -1)\n",
    "getattr with a constant": "def step(x):\n    return getattr(torch, 'softmax')(x, -1)\n",
    "assigned to another name": "s = torch.softmax\ndef step(x):\n    return s(x, -1)\n",
    "in a function that it calls": "def own(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return own(x)\n",
    "getattr after another name": "t = torch\ndef step(x):\n    return getattr(t.nn.functional, 'softmax')(x, -1)\n",
    "attrgetter": "import operator\ndef step(x):\n    return operator.attrgetter('nn.functional.softmax')(torch)(x, -1)\n",
    "a look-up in a module": "def step(x):\n    return vars(torch)['softmax'](x, -1)\n",
    "a look-up in a module's dictionary": "def step(x):\n    return torch.__dict__['softmax'](x, -1)\n",
    "a module under another name": "import torch.nn.functional as G\ndef step(x):\n    return G.softmax(x, -1)\n",
    "beside an own method of that name": "class A:\n    def softmax(self): ...\ndef step(x):\n    return torch.softmax(x, -1)\n",
    "kept in an object": "class step:\n    def forward(self, x):\n        self.f = F\n        return self.f.softmax(x, -1)\n",
    "in a module beside it": "from helper import own\ndef step(x):\n    return own(x)\n",
    "in a module beside it, by its name": "import helper as h\ndef step(x):\n    return h.own(x)\n",
    "in a module beside it, imported whole": "from helper import *\ndef step(x):\n    return own(x)\n",
    "a library out of a module beside it": "from helper import torch as t\ndef step(x):\n    return t.softmax(x, -1)\n",
    "a library in a module beside it": "import helper\ndef step(x):\n    return helper.torch.softmax(x, -1)\n",
    "imported inside the step of that name": "def softmax(x):\n    return x\ndef step(x):\n    from torch import softmax\n    return softmax(x, -1)\n",
    "getattr with constants put together": "def step(x):\n    return getattr(torch, 'soft' + 'max')(x, -1)\n",
    "a tensor's method beside an own function of that name": "def softmax(x):\n    return x\ndef step(x):\n    return x.softmax(-1)\n",
    "in a lambda": "def step(x):\n    return (lambda y: y.softmax(-1))(x)\n",
}

DOES_NOT_USE = {
    "nothing of the kind": "def step(x):\n    return x.exp()\n",
    "another step uses it": "def other(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return x.exp()\n",
    "an own function of that name, beside all of torch's": (
        "from torch.nn.functional import *\ndef softmax(x):\n    return x.exp()\ndef step(x):\n    return softmax(x)\n"
    ),
    "an own function of that name": "def softmax(x):\n    return x.exp()\ndef step(x):\n    return softmax(x)\n",
    "a string": "def step(x):\n    'like torch.softmax'\n    return x.exp()\n",
    "an own attribute": "class step:\n    def __init__(self):\n        self.softmax = 1\n",
    "an own method of that name": "class A:\n    def softmax(self, x):\n        return x\ndef step(x):\n    return A.softmax(A, x)\n",
    "a method of an own object": (
        "class A:\n    def softmax(self, x):\n        return x\n"
        "class step:\n    def forward(self, x):\n        self.a = A()\n        return self.a.softmax(x)\n"
    ),
    "a method of an own object in a variable": (
        "class A:\n    def softmax(self, x):\n        return x\ndef step(x):\n    a = A()\n    return a.softmax(x)\n"
    ),
    "a method of an own object at the top": (
        "class A:\n    def softmax(self, x):\n        return x\na = A()\ndef step(x):\n    return a.softmax(x)\n"
    ),
    "a method of an own object at once": (
        "class A:\n    def softmax(self, x):\n        return x\ndef step(x):\n    return A().softmax(x)\n"
    ),
    "a method of an own base class": (
        "class A:\n    def softmax(self, x):\n        return x\n"
        "class step(A):\n    def forward(self, x):\n        return super().softmax(x)\n"
    ),
    "an own function that hides an import": (
        "from torch import softmax\ndef softmax(x):\n    return x.exp()\ndef step(x):\n    return softmax(x)\n"
    ),
    "a function of that name in a module beside it": "import helper\ndef step(x):\n    return helper.softmax(x)\n",
    "a harmless function in a module beside it": "from helper import harmless\ndef step(x):\n    return harmless(x)\n",
    "a text that does not parse": "def step(x:\n",
    "no such step": "x = torch.softmax\n",
}


HELPER = """
import torch

def own(x):
    return torch.softmax(x, -1)

def softmax(x):
    return x.exp()

def harmless(x):
    return x
"""


def _mentions(text: str) -> Mentions:
    return Mentions({"part": Source.module("part.py", text), "helper": Source.module("helper.py", HELPER)})


@pytest.mark.parametrize("text", USES.values(), ids=USES)
def test_a_use_is_found(text: str) -> None:
    assert _mentions(text).forbidden_in("part", "step", NAMES) is not None


@pytest.mark.parametrize("text", DOES_NOT_USE.values(), ids=DOES_NOT_USE)
def test_what_is_no_use_is_not_found(text: str) -> None:
    assert _mentions(text).forbidden_in("part", "step", NAMES) is None


def test_the_name_and_the_line_are_told() -> None:
    found = _mentions("def step(x):\n    y = x\n    return y.softmax(-1)\n").forbidden_in("part", "step", NAMES)
    assert found == Use("softmax", "part", 3)


def test_the_module_is_told_in_which_it_is_used() -> None:
    found = _mentions(USES["in a module beside it"]).forbidden_in("part", "step", NAMES)
    assert found == Use("softmax", "helper", 5)


def test_a_step_that_calls_itself_ends_the_search() -> None:
    assert _mentions("def step(x):\n    return step(x)\n").forbidden_in("part", "step", NAMES) is None


MANY = ", ".join(f"a{number}" for number in range(3_000))

HOSTILE = {
    "a sum of thousands": "def step(x):\n    return getattr(x, " + "'a' + " * 2_500 + "'b')\n",
    "a thousand elif": "if a:\n    b = 1\n" + "elif a:\n    b = 1\n" * 2_000 + "step = b\n",
    "names that all mean all others": f"{MANY} = {MANY}\nstep = a0\n",
    "chains of attributes": "def step(x):\n" + f"    x{'.b' * 900}\n" * 50,
    "lambdas in lambdas": f"step = [{('lambda: ' * 150 + '1, ') * 90}]\n",
    "a name with many meanings": "a = 1\nx = a()\n" * 10_000 + "step = x\n",
}


LONG = 30.0
"""Seconds of processor time: what grows with the square of a text, or worse, takes longer, and anything else a fraction."""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_makes_the_search_long(text: str) -> None:
    begun = time.process_time()

    _mentions(text).forbidden_in("part", "step", NAMES)

    assert time.process_time() - begun < LONG


# Calls


def test_what_a_step_calls_is_found_through_others() -> None:
    text = "def a(x):\n    return x\n\ndef b(x):\n    return a(x)\n\nclass step:\n    def forward(self, x):\n        return b(x)\n"
    assert _mentions(text).called_by("part", "step") == [("part", "b"), ("part", "a")]


def test_what_a_step_calls_of_another_module_is_found() -> None:
    assert _mentions(USES["in a module beside it, by its name"]).called_by("part", "step") == [("helper", "own")]


SHADOWED = {
    "an argument": "def a(x):\n    return x\n\ndef step(x, a):\n    return x / a\n",
    "a variable": "def a(x):\n    return x\n\ndef step(x):\n    a = x + 1\n    return a\n",
    "an argument of a method": "def a(x):\n    return x\n\nclass step:\n    def forward(self, a):\n        return a\n",
    "a variable of a comprehension": "def a(x):\n    return x\n\ndef step(x):\n    return [a for a in x]\n",
}


@pytest.mark.parametrize("text", SHADOWED.values(), ids=SHADOWED)
def test_a_local_name_that_is_also_a_function_s_calls_nothing(text: str) -> None:
    assert _mentions(text).called_by("part", "step") == []


def test_a_step_that_calls_nothing_of_its_own_calls_nothing() -> None:
    assert _mentions("def a(x):\n    return x\n\ndef step(x):\n    return x\n").called_by("part", "step") == []


@pytest.mark.parametrize(
    "importing",
    ["from deep import f\n", "import deep\nf = deep.f\n", "from deep import *\n"],
)
def test_a_text_too_deep_to_be_searched_is_forbidden_where_a_step_reaches_it(practice: Exam, importing: str) -> None:
    deep = f"x = {'1+' * 50_000}1\ndef f(scores):\n    return torch.softmax(scores, -1)\n"
    text = f"{importing}def softmax(scores):\n    return f(scores)\ndef dot_product(a, b):\n    return (a * b).sum()\n"
    modules = {"part1_simplified": Source.module("part1_simplified.py", text), "deep": Source.module("deep.py", deep)}
    part = practice.syllabus.part("part1_simplified")

    refused, other = (Mentions(modules).refuse(part.step(name)) for name in ("softmax", "dot_product"))

    assert refused
    assert refused.kind == "forbidden"
    assert refused.message.startswith("deep.py is nested too deeply")
    assert other is None

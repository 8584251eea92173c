"""Torch's own functions are found in the syntax tree wherever a step uses them, and only there."""

import pytest

from autograder.sitting.forbidden import Mentions

NAMES = ("softmax", "log_softmax")

USES = {
    "module function": "def step(x):\n    return torch.softmax(x, -1)\n",
    "method": "def step(x):\n    return x.softmax(-1)\n",
    "functional": "def step(x):\n    return torch.nn.functional.log_softmax(x, -1).exp()\n",
    "imported under another name": "from torch import softmax as s\ndef step(x):\n    return s(x, -1)\n",
    "imported inside": "def step(x):\n    from torch.nn.functional import softmax\n    return softmax(x, -1)\n",
    "getattr with a constant": "def step(x):\n    return getattr(torch, 'softmax')(x, -1)\n",
    "assigned to another name": "s = torch.softmax\ndef step(x):\n    return s(x, -1)\n",
    "in a function that it calls": "def own(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return own(x)\n",
    "in a lambda": "def step(x):\n    return (lambda y: y.softmax(-1))(x)\n",
}

DOES_NOT_USE = {
    "nothing of the kind": "def step(x):\n    return x.exp()\n",
    "another step uses it": "def other(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return x.exp()\n",
    "an own function of that name": "def softmax(x):\n    return x.exp()\ndef step(x):\n    return softmax(x)\n",
    "a string": "def step(x):\n    'like torch.softmax'\n    return x.exp()\n",
    "an own attribute": "class step:\n    def __init__(self):\n        self.softmax = 1\n",
    "a text that does not parse": "def step(x:\n",
    "no such step": "x = torch.softmax\n",
}


@pytest.mark.parametrize("text", USES.values(), ids=USES)
def test_a_use_is_found(text: str) -> None:
    assert Mentions(text).find("step", NAMES) is not None


@pytest.mark.parametrize("text", DOES_NOT_USE.values(), ids=DOES_NOT_USE)
def test_what_is_no_use_is_not_found(text: str) -> None:
    assert Mentions(text).find("step", NAMES) is None


def test_the_name_and_the_line_are_told() -> None:
    assert Mentions("def step(x):\n    y = x\n    return y.softmax(-1)\n").find("step", NAMES) == ("softmax", 3)


def test_a_step_that_calls_itself_ends_the_search() -> None:
    assert Mentions("def step(x):\n    return step(x)\n").find("step", NAMES) is None

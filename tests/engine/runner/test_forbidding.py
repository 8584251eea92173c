"""Torch's own functions are refused wherever a step calls them while it runs, and only there."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from autograder.course.answer import Answer, Failure
from autograder.course.forbidding import Forbidden, forbidding, guard
from autograder.course.probing import failure_of, observe
from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks
from autograder.runner.loading import SubmittedModules
from autograder.submission.model import Block, Source

NAMES = (
    *("softmax", "log_softmax", "MultiheadAttention", "vmap", "scaled_dot_product"),
    *("multi_head_attention_forward", "flex_attention"),
)

guard(NAMES)  # as a server does before it loads a student's module

IMPORTS = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
"""Stand above each text: three lines."""

HELPER = """
import torch

def own(x):
    return torch.softmax(x, -1)

def softmax(x):
    return x.exp()

def harmless(x):
    return x
"""

CALLS = {
    "a function": "def step(x):\n    return torch.softmax(x, -1)\n",
    "a method": "def step(x):\n    return x.softmax(-1)\n",
    "a function of nn.functional": "def step(x):\n    return F.log_softmax(x, -1).exp()\n",
    "a longer name that begins so": "def step(x):\n    return F.scaled_dot_product_attention(x, x, x)\n",
    "a private function": "def step(x):\n    return torch._softmax(x, -1, False)\n",
    "a module": "def step(x):\n    return nn.Softmax(-1)(x)\n",
    "a module that was made before": "own = nn.Softmax(-1)\ndef step(x):\n    return own(x)\n",
    "imported under another name": "from torch import softmax as s\ndef step(x):\n    return s(x, -1)\n",
    "imported with everything else": "from torch.nn.functional import *\ndef step(x):\n    return softmax(x, -1)\n",
    "assigned to another name": "s = torch.softmax\ndef step(x):\n    return s(x, -1)\n",
    "by a name put together": "def step(x):\n    return getattr(torch, 'soft' + 'max'[:3])(x, -1)\n",
    "looked up": "def step(x):\n    return vars(torch)['softmax'](x, -1)\n",
    "in a function that it calls": "def own(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return own(x)\n",
    "in a module beside it": "from helper import own\ndef step(x):\n    return own(x)\n",
    "a library in a module beside it": "import helper\ndef step(x):\n    return helper.torch.softmax(x, -1)\n",
    "in a lambda": "def step(x):\n    return (lambda y: y.softmax(-1))(x)\n",
    "beside an own function of that name": "def softmax(x):\n    return x\ndef step(x):\n    return x.softmax(-1)\n",
    "in a tensor of a kind of its own, when its numbers are read": (
        "class Later(torch.Tensor):\n    def numpy(self, *given, **named):\n"
        "        return self.as_subclass(torch.Tensor).softmax(-1).numpy()\n"
        "    def detach(self):\n        return self\n    def cpu(self):\n        return self\n"
        "    def contiguous(self, *given, **named):\n        return self\n"
        "    def clone(self, *given, **named):\n        return self\n"
        "def step(x):\n    return x.as_subclass(Later)\n"
    ),
    "where errors are caught": (
        "def step(x):\n    try:\n        return x.softmax(-1)\n    except Exception:\n        return x\n"
    ),
    "a layer of torch's": "def step(x):\n    return nn.MultiheadAttention(2, 1)(x, x, x)[0]\n",
    "what calls back": "def step(x):\n    return torch.vmap(lambda row: row * 2)(x)\n",
    "what maps a function of torch's": "def step(x):\n    return torch.vmap(torch.exp)(x)\n",
    "a name with other words before it": "def step(x):\n    return torch._safe_softmax(x, -1)\n",
    "within a library": "def step(x):\n    return torch.distributions.Categorical(logits=x).probs\n",
    "where nothing is differentiated": (
        "def step(x):\n    with torch.inference_mode():\n        return torch.softmax(x, -1)\n"
    ),
    "where everything is caught": (
        "def step(x):\n    try:\n        return x.softmax(-1)\n    except:\n        return x\n"
    ),
    "where everything is caught and an error follows": (
        "def step(x):\n    try:\n        return x.softmax(-1)\n    except:\n        return x[9]\n"
    ),
    "within a layer of a library": (
        "own = nn.TransformerEncoderLayer(2, 1)\ndef step(x):\n    return own.self_attn(x, x, x)[0]\n"
    ),
    "what has been loaded since": (
        "from torch.nn.attention.flex_attention import flex_attention as own\n"
        "def step(x):\n    return own(*[x[None, None]] * 3)[0, 0]\n"
    ),
    "the step itself is torch's": "step = torch.nn.functional.softmax\n",
}

DOES_NOT_CALL = {
    "nothing of the kind": "def step(x):\n    return x.exp()\n",
    "another step does": "def other(x):\n    return torch.softmax(x, -1)\ndef step(x):\n    return x.exp()\n",
    "an own function of that name": "def softmax(x):\n    return x.exp()\ndef step(x):\n    return softmax(x)\n",
    "an own method of that name": (
        "class A:\n    def softmax(self, x):\n        return x.exp()\ndef step(x):\n    return A().softmax(x)\n"
    ),
    "a function of that name in a module beside it": "import helper\ndef step(x):\n    return helper.softmax(x)\n",
    "a text": "def step(x):\n    'like torch.softmax'\n    return x.exp()\n",
    "a longer word": "def step(x):\n    return F.softplus(x).sigmoid()\n",
}


def modules_of(text: str) -> SubmittedModules:
    part = Source.module("part.py", IMPORTS + text)
    return SubmittedModules({"part": part, "helper": Source.module("ada/helper.py", HELPER)})


def answer_of(modules: SubmittedModules) -> Answer:
    step = modules.load("part").__dict__["step"]
    return observe(None, step, {"x": torch.ones(2, 2)}, 7, False, modules.describe, forbids=NAMES)


def failure(text: str) -> Failure | None:
    return answer_of(modules_of(text)).failure


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_a_call_is_refused(text: str) -> None:
    refused = failure(text)
    assert refused is not None
    assert refused.kind == "forbidden"


@pytest.mark.parametrize("text", DOES_NOT_CALL.values(), ids=DOES_NOT_CALL)
def test_what_is_no_call_is_not_refused(text: str) -> None:
    assert failure(text) is None


OTHERWISE = {
    "by its name": "torch.softmax(scores, -1)",
    "within a library": "torch.distributions.Categorical(logits=scores).probs",
    "by a name put together": "getattr(torch, 'soft' + 'max')(scores, -1)",
}


@pytest.mark.parametrize("other", OTHERWISE.values(), ids=OTHERWISE)
def test_a_call_that_the_first_case_does_not_reach_is_refused(mark_text: Callable[..., Marks], other: str) -> None:
    text = f"""
import torch

def softmax(scores):
    if scores.ndim == 1 and len(scores) == 5:
        return scores.exp() / scores.exp().sum(-1, keepdim=True)
    return {other}
"""
    marks = mark_text("part1_simplified", text).parts[0].step("softmax")

    assert marks
    assert marks.verdict == Verdict.FORBIDDEN


def test_what_was_refused_can_be_called_afterwards() -> None:
    x = torch.ones(2, 2)
    with pytest.raises(Forbidden), forbidding(NAMES):
        torch.softmax(x, -1)

    assert torch.equal(torch.softmax(x, -1), x / 2)


def test_what_torch_refuses_besides_is_told_as_ever() -> None:
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.softmax(torch.ones(2), 3)


def test_a_call_that_is_not_reached_is_not_refused() -> None:
    assert failure("def step(x):\n    return x if x.sum() > 0 else x.softmax(-1)\n") is None


OWN = "In this step you write that yourself."

MESSAGES = {
    "with its line": ("def step(x):\n    y = x\n    return y.softmax(-1)\n", "line 6 uses torch's own `softmax`."),
    "with the function that the layer calls": (
        "def step(x):\n    return nn.MultiheadAttention(2, 1)(x, x, x)[0]\n",
        "line 5 uses torch's own `multi_head_attention_forward`.",
    ),
    "without the underscore of what is private": (CALLS["a private function"], "line 5 uses torch's own `softmax`."),
    "with the line that calls what calls back": (
        "def step(x):\n    return torch.vmap(\n        torch.exp\n    )(x)\n",
        "line 5 uses torch's own `vmap`.",
    ),
    "with the line of the helper": (
        CALLS["in a function that it calls"],
        "line 5 uses torch's own `softmax`.",
    ),
    "with the file of another module": (
        CALLS["in a module beside it"],
        "line 5 of helper.py uses torch's own `softmax`.",
    ),
    "where no line is the student's": ("step = nn.Softmax(-1)\n", "your code uses torch's own `softmax`."),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.values(), ids=MESSAGES)
def test_a_refusal_says_where_the_call_is(text: str, message: str) -> None:
    refused = failure(text)
    assert refused is not None
    assert refused.message == f"{message} {OWN}"


def test_a_refusal_says_in_which_cell_the_call_is() -> None:
    cells = ("import torch", "def step(x):\n    return torch.softmax(x, -1)")
    blocks = tuple(Block(f"ada/part.ipynb, cell {number}", text) for number, text in enumerate(cells, start=1))

    refused = answer_of(SubmittedModules({"part": Source("ada/part.ipynb", blocks, is_notebook=True)})).failure

    assert refused is not None
    assert refused.message == f"line 2 of cell 2 uses torch's own `softmax`. {OWN}"


def test_a_class_that_is_torch_s_by_inheritance_is_refused() -> None:
    class Attention(nn.MultiheadAttention):
        pass

    answer = observe(
        lambda cls, x: cls(2, 1)(x, x, x)[0], Attention, {"x": torch.ones(2, 2)}, 7, False, failure_of, forbids=NAMES
    )

    assert answer.failure is not None
    assert answer.failure.kind == "forbidden"

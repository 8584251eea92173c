"""Torch's own functions are refused wherever a step calls them while it runs, and only there."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
import torch
import torch.onnx
from torch import nn

from autograder.course.answer import Answer, Failure
from autograder.course.forbidding import Forbidden, forbidding
from autograder.course.probing import failure_of, observe
from autograder.course.verdicts import Verdict
from autograder.grading.results import Marks
from autograder.runner.loading import SubmittedModules
from autograder.submission.model import Block, Source

NAMES = (
    *("softmax", "log_softmax", "MultiheadAttention", "vmap", "scaled_dot_product"),
    *("multi_head_attention_forward", "flex_attention"),
)

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
    "an operator": "def step(x):\n    return torch.ops.aten.softmax.int(x, -1)\n",
    "an operator of any overload": "def step(x):\n    return torch.ops.aten.softmax(x, -1)\n",
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
    "a class, where an object is made": "def step(x):\n    nn.MultiheadAttention(2, 1)\n    return x\n",
    "what calls back": "def step(x):\n    return torch.vmap(lambda row: row * 2)(x)\n",
    "what maps a function of torch's": "def step(x):\n    return torch.vmap(torch.exp)(x)\n",
    "a name with other words before it": "def step(x):\n    return torch._safe_softmax(x, -1)\n",
    "within a function of another name": "def step(x):\n    return F.cross_entropy(x, x)\n",
    "within a library": "def step(x):\n    return torch.distributions.Categorical(logits=x).probs\n",
    "out of sight of functions": (
        "def step(x):\n    with torch._C.DisableTorchFunction():\n        return torch.softmax(x, -1)\n"
    ),
    "out of sight of everything that watches operations": (
        "from torch.utils._python_dispatch import _disable_current_modes\n"
        "def step(x):\n    with torch._C.DisableTorchFunction(), _disable_current_modes():\n        return x.softmax(-1)\n"
    ),
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
    "in another thread": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def step(x):\n    with ThreadPoolExecutor(1) as pool:\n        return pool.submit(torch.softmax, x, -1).result()\n"
    ),
    "in a thread whose error is not asked for": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
        "def step(x):\n    pool.submit(x.softmax, -1).exception()\n    return x\n"
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
    "something else in another thread": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def step(x):\n    with ThreadPoolExecutor(1) as pool:\n        return pool.submit(x.exp).result()\n"
    ),
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


@pytest.mark.parametrize(
    "attention",
    [torch.ops.onnx.Attention.opset23, torch.onnx.ops.attention, torch.onnx.ops._impl.attention_23._init_fn],
)
def test_an_operation_that_is_written_in_python_is_refused_by_whatever_name(attention: Callable[..., object]) -> None:
    x = torch.ones(1, 1, 2, 2)
    with pytest.raises(Forbidden), forbidding(("attention",)):
        attention(x, x, x, softcap=1e9)


def test_an_operation_of_any_namespace_is_refused() -> None:
    with pytest.raises(Forbidden), forbidding(("linear_pointwise",)):
        torch.ops.mkldnn._linear_pointwise(torch.ones(2, 2), torch.ones(2, 2), None, "none", [], "")


def test_torch_s_rotary_embedding_is_refused(mark_text: Callable[..., Marks]) -> None:
    text = """
import torch.onnx

def rotate(x, positions, base=10000.0):
    size = x.shape[-1]
    angles = positions[:, None] * base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    several = x.reshape(-1, 1, *x.shape[-2:])
    cos, sin = (turned.expand(len(several), *turned.shape) for turned in (angles.cos(), angles.sin()))
    return torch.onnx.ops.rotary_embedding(several, cos, sin, interleaved=True).reshape(x.shape)
"""
    marks = mark_text("part5_inference", text).parts[0].step("rotate")

    assert marks
    assert marks.verdict == Verdict.FORBIDDEN


def test_what_was_refused_can_be_called_afterwards() -> None:
    before = torch.vmap.__code__, nn.MultiheadAttention.__init__.__code__
    with pytest.raises(Forbidden), forbidding(NAMES):
        torch.vmap(torch.exp)

    assert (torch.vmap.__code__, nn.MultiheadAttention.__init__.__code__) == before
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    for weights in (x.softmax(-1), torch.vmap(lambda row: row.softmax(-1))(x)):
        assert torch.allclose(weights, x.exp() / x.exp().sum(-1, keepdim=True))
        (gradient,) = torch.autograd.grad((weights * x.detach()).sum(), x)
        assert gradient.abs().sum() > 0


def test_what_torch_has_loaded_is_refused_where_another_module_was_loaded_again_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def softmax() -> None:
        pass

    again, later = ModuleType("again"), ModuleType("torch.later")
    later.softmax = softmax  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, again.__name__, again)
    with forbidding(NAMES):
        softmax()
    monkeypatch.setitem(sys.modules, later.__name__, later)
    del sys.modules[again.__name__]
    sys.modules[again.__name__] = again

    with pytest.raises(Forbidden), forbidding(NAMES):
        softmax()


def test_what_torch_refuses_besides_is_told_as_ever() -> None:
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.softmax(torch.ones(2), 3)


def test_a_call_that_is_not_reached_is_not_refused() -> None:
    assert failure("def step(x):\n    return x if x.sum() > 0 else x.softmax(-1)\n") is None


OWN = "In this step you write that yourself."

MESSAGES = {
    "with its line": ("def step(x):\n    y = x\n    return y.softmax(-1)\n", "line 6 uses torch's own `softmax`."),
    "with the class that was written": (
        "def step(x):\n    return nn.MultiheadAttention(2, 1)(x, x, x)[0]\n",
        "line 5 uses torch's own `MultiheadAttention`.",
    ),
    "without the underscore of what is private": (CALLS["a private function"], "line 5 uses torch's own `softmax`."),
    "with the line that calls what calls back": (
        "def step(x):\n    return torch.vmap(\n        torch.exp\n    )(x)\n",
        "line 5 uses torch's own `vmap`.",
    ),
    "with the line of the helper": (
        CALLS["in a function that it calls"],
        "line 5 uses torch's own `softmax` in your `own`, which is called here.",
    ),
    "with the file of another module": (
        CALLS["in a module beside it"],
        "line 5 of helper.py uses torch's own `softmax` in your `own`, which is called here.",
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


def test_a_thread_that_goes_on_may_call_it_where_nothing_forbids_it_any_more() -> None:
    x = torch.ones(2, 2)
    with ThreadPoolExecutor(1) as pool:
        with forbidding(NAMES):
            pool.submit(x.exp).result()

        assert torch.equal(pool.submit(x.softmax, -1).result(), x / 2)
        with pytest.raises(Forbidden), forbidding(NAMES):
            pool.submit(x.softmax, -1).result()


def test_threads_that_begin_later_are_not_watched() -> None:
    with forbidding(NAMES):
        pass

    assert threading.getprofile() is None

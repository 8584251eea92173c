"""What a definition computes, as it is compared: what leaves no trace, and what does."""

import pytest

from autograder.classroom.similarity.reader import Modules, Reading, TooMuch, Work
from autograder.submission.model import Source


def reading(text: str, work: Work | None = None, **helpers: str) -> Reading:
    """Read `f` of a module, beside other modules."""
    sources = {name: Source.module(f"{name}.py", of_it) for name, of_it in {"part": text, **helpers}.items()}
    found = Modules(sources, {"part": ["f", "other_step"]}, work).read("part", "f")
    assert found
    return found


def prints(text: str, **helpers: str) -> frozenset[int]:
    """Return the fingerprints of the values of `f`."""
    return Reading(reading(text, **helpers).values, set()).fingerprints()


WRITTEN = """
def f(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    length = keys.shape[-1]
    weights = torch.softmax(scores / length**0.5, dim=-1)
    return weights @ values
"""

DISGUISED = {
    "renamed": """
def f(a, b, c):
    one = a @ b.transpose(-2, -1)
    two = b.shape[-1]
    three = torch.softmax(one / two**0.5, dim=-1)
    return three @ c
""",
    "independent statements exchanged": """
def f(queries, keys, values):
    length = keys.shape[-1]
    scores = queries @ keys.transpose(-2, -1)
    weights = torch.softmax(scores / length**0.5, dim=-1)
    return weights @ values
""",
    "a docstring, comments, hints and another layout": '''
def f(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attend."""
    # as in the lecture
    scores: Tensor = (queries @
                      keys.transpose(-2, -1))
    length: int = keys.shape[-1]
    weights = torch.softmax(scores / length**0.5, dim=-1)
    return weights @ values
''',
    "in one expression": """
def f(queries, keys, values):
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1]**0.5, dim=-1) @ values
""",
    "other names of the same operations": """
def f(queries, keys, values):
    scores = torch.matmul(queries, keys.mT)
    weights = (scores / math.sqrt(keys.size(-1))).softmax(-1)
    return torch.matmul(weights, values)
""",
    "a helper of one's own": """
def f(queries, keys, values):
    return _weights(queries, keys) @ values


def _weights(q, k):
    scores = q @ k.transpose(-2, -1)
    return torch.softmax(scores / k.shape[-1]**0.5, dim=-1)
""",
    "statements of which nothing comes": """
def f(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    unused = values.sum() * 17
    print("here", unused)
    length = keys.shape[-1]
    weights = torch.softmax(scores / length**0.5, dim=-1)
    return weights @ values
""",
}


@pytest.mark.parametrize("text", DISGUISED.values(), ids=DISGUISED)
def test_a_disguise_leaves_no_trace(text: str) -> None:
    assert prints(text) == prints(WRITTEN)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x * y", "torch.mul(y, x)"),
        ("x > y", "y < x"),
        ("torch.einsum('ij,jk->ik', x, y)", "torch.einsum('a b, b c -> a c', x, y)"),
        ("x.reshape((2, 3))", "x.view(2, 3)"),
        ("x.transpose(0, 1)", "x.T"),
        ("x.size(0)", "len(x)"),
    ],
)
def test_an_expression_written_in_another_way_is_the_same(one: str, other: str) -> None:
    assert prints(f"def f(x, y):\n    return {one}") == prints(f"def f(x, y):\n    return {other}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x - y.exp()", "y.exp() - x"),
        ("x.sum(0)", "x.sum(1)"),
        ("x.sum()", "x.mean()"),
        ("other_step(x).exp()", "x.exp()"),
    ],
)
def test_what_computes_something_else_is_not_the_same(one: str, other: str) -> None:
    assert prints(f"def f(x, y):\n    return {one}") != prints(f"def f(x, y):\n    return {other}")


def calls(many: int) -> str:
    """Return helpers that each call the next many times."""
    calls = "\n".join(["    g{}(x)"] * many)
    helpers = "\n".join(f"def g{n}(x):\n{calls.replace('{}', str(n + 1))}\n    return 1" for n in range(40))
    return f"def f(x):\n    return g0(x).exp()\n{helpers}"


NAMES = ", ".join(f"a{number}" for number in range(1_000))
MUCH = {
    "helpers that call each other": calls(100),
    "names in branches": f"def f(x):\n    {NAMES} = x\n" + "    if x: 0\n" * 500,
    "names at the top of a module": f"{NAMES} = 0\n" + "if x: 0\n" * 500 + "def f(x):\n    return x.exp()\n",
    "effects in branches": "def f(x):\n"
    + "".join(" " * n + "    if x:\n" for n in range(20))
    + " " * 24
    + "g(x); " * 9_999,
    "long texts": f"def f(x):\n    g(0)\n    g(1)\ndef g(x):\n    x = '{'-' * 90_000}'\n"
    + "    h(x)\n" * 99
    + f"def h(x):\n    return '{'-' * 9_000}'",
    "bases": "class A: 0\n"
    + "".join(
        f"class {b}({a}, {a}): 0\n" for a, b in zip("ABCDEFGHIJKLMNOPQRSTU", "BCDEFGHIJKLMNOPQRSTUf", strict=True)
    ),
    "values of which each step is made": "x = 0\n" + "x = x + x * x\n" * 9_000 + "f = x\n",
}


@pytest.mark.parametrize("text", MUCH.values(), ids=MUCH)
def test_all_that_is_done_is_charged(text: str) -> None:
    with pytest.raises(TooMuch):
        reading(text, Work(100_000))


def test_a_helper_that_calls_itself_ends() -> None:
    assert prints("def f(x):\n    return g(x)\ndef g(x):\n    return g(x - 1) + x")


HELPER = WRITTEN.replace("def f", "def attend")
MEANT = {
    "in a branch": ("if True:\n" + WRITTEN.replace("\n", "\n    "), ""),
    "in a branch, after another that never runs": (
        "def f(x):\n    return x.exp()\nif 1:\n" + WRITTEN.replace("\n", "\n    "),
        "",
    ),
    "before another that never runs": (WRITTEN + "if 0:\n    def f(x):\n        return x.exp()\n", ""),
    "in a try": ("try:\n" + WRITTEN.replace("\n", "\n    ") + "\nexcept OSError:\n    pass", ""),
    "in a match": ("match 0:\n    case _:\n" + WRITTEN.replace("\n", "\n        "), ""),
    "last of two": ("def f(x):\n    return x.exp()\n" + WRITTEN, ""),
    "imported": ("from helper import attend as f", HELPER),
    "imported with all": ("from helper import *", WRITTEN),
    "imported with all that is listed": ("def f(x): 0\nfrom helper import *", "__all__ = ['f']\n" + WRITTEN),
    "not imported, as it is not listed": (WRITTEN + "\nfrom helper import *", "__all__ = ['g']\ndef f(x): 0"),
    "another name of it": ("import helper as h\nf = h.attend", HELPER),
    "called in its module": (
        "def f(*given, **named):\n    import helper\n    return helper.attend(*given, **named)",
        HELPER,
    ),
    "by a helper that stands for a while": ("f = attend\nfrom helper import attend\nf = attend\ndel attend", HELPER),
    "through many others": (
        "".join(f"def g{n}(*a):\n    return g{n + 1}(*a)\n" for n in range(12))
        + "from helper import attend as g12\nf = g0",
        HELPER,
    ),
    "given as a default": (HELPER + "\ndef f(a, b, c, g=attend):\n    return g(a, b, c)", ""),
    "out of a list": (HELPER + "\ndef f(*a):\n    return [attend][0](*a)", ""),
    "what a decorator makes of another": (HELPER + "\ndef instead(g):\n    return attend\n@instead\ndef f(x): 0", ""),
}


@pytest.mark.parametrize(("text", "helper"), MEANT.values(), ids=MEANT)
def test_what_is_read_is_what_would_run(text: str, helper: str) -> None:
    assert prints(text, helper=helper) == prints(WRITTEN)


def test_a_class_has_what_it_is_made_from() -> None:
    base = "class Base(nn.Module):\n    def forward(self, x, y):\n        return x.exp() @ y\n"

    assert prints(
        base + "class f(Base):\n    def forward(self, x, y):\n        return super().forward(x, y)"
    ) >= prints(base.replace("Base", "f"))

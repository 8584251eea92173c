"""What a definition computes, as it is compared: what leaves no trace, and what does."""

import ast

import pytest

from autograder.classroom.similarity.values import Reading, read, read_given


def reading(text: str) -> Reading:
    """Read `f`, beside its helpers."""
    defined = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return read(defined.pop("f"), defined)


def prints(text: str) -> frozenset[int]:
    """Return the fingerprints of the values of `f`."""
    return Reading(reading(text).values, set()).fingerprints()


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


def test_the_order_of_methods_and_the_names_of_attributes_leave_no_trace() -> None:
    one = """
class f(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first = nn.Linear(n, 2 * n)

    def forward(self, x):
        return self.first(x).exp()
"""
    other = """
class f(nn.Module):
    def forward(me, inputs):
        y = me._layer(inputs)
        return y.exp()

    def __init__(me, size):
        nn.Module.__init__(me)
        me._layer = torch.nn.Linear(size, 2 * size)
"""
    assert prints(one) <= prints(other)


def test_a_definition_that_raises_alone_has_only_that() -> None:
    stub = "def f(x):\n    raise NotImplementedError('step 1')"

    assert prints(stub) <= read_given(ast.parse(stub).body).fingerprints()


def test_helpers_that_call_each_other_many_times_end() -> None:
    calls = "\n".join(["    g{}(x)"] * 100)
    helpers = "\n".join(f"def g{n}(x):\n{calls.replace('{}', str(n + 1))}\n    return 1" for n in range(40))

    assert prints(f"def f(x):\n    return g0(x).exp()\n{helpers}")


def test_a_helper_that_calls_itself_ends() -> None:
    assert prints("def f(x):\n    return g(x)\ndef g(x):\n    return g(x - 1) + x")


@pytest.mark.parametrize(
    "name", ["renamed", "independent statements exchanged", "a docstring, comments, hints and another layout"]
)
def test_other_names_orders_and_comments_leave_no_trace_in_statements(name: str) -> None:
    assert reading(DISGUISED[name]).statements == reading(WRITTEN).statements


@pytest.mark.parametrize("name", ["in one expression", "other names of the same operations"])
def test_another_way_to_write_the_same_is_told_by_its_statements(name: str) -> None:
    assert reading(DISGUISED[name]).statements != reading(WRITTEN).statements

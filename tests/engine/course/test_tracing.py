"""Tracing code: which operations it asks for, where they stand, what they make, and where it stops."""

import types
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.course import tracing
from autograder.course.answer import Answer, TensorValue
from autograder.course.modules import construct
from autograder.course.probing import Observation, failure_of, observe
from autograder.course.shapes import Shape
from autograder.course.trace import Call, Trace
from autograder.course.tracing import MOST_RUNS, trace

PATH = "own.py"
HEADER = "import torch\nfrom torch import nn\n"


def traced(text: str, probe: Callable[..., Any] | None = None, **inputs: Tensor) -> tuple[Answer, Trace]:
    """Trace the last function or class of a text."""
    module = types.ModuleType("own")
    exec(compile(HEADER + text, PATH, "exec"), module.__dict__)
    implementation = list(module.__dict__.values())[-1]
    return trace(partial(observe, probe, implementation, inputs, 0, False), failure_of, [PATH])


def made(text: str, probe: Callable[..., Any] | None = None, **inputs: Tensor) -> list[tuple[str, *tuple[Shape, ...]]]:
    return [(one.name, *one.made.shapes) for one in traced(text, probe, **inputs)[1].operations]


def lines(text: str, **inputs: Tensor) -> list[tuple[int, str]]:
    return [(one.span[0], one.name) for one in traced(text, **inputs)[1].operations]


def test_operations_come_with_their_place_and_shape() -> None:
    _, seen = traced("def f(x):\n    y = x[0]\n    return y.sum()\n", x=torch.ones(2, 3))

    assert [(one.name, one.span, one.function, one.path) for one in seen.operations] == [
        ("[ ]", (4, 4, 8, 12), "f", PATH),
        ("sum", (5, 5, 11, 18), "f", PATH),
    ]
    assert [one.made.shapes for one in seen.operations] == [((3,),), ((),)]


def test_the_answer_is_that_of_a_run_without_a_trace() -> None:
    answer, _ = traced("def f(x):\n    return torch.rand(3) * x\n", x=torch.ones(3))

    torch.manual_seed(0)
    result = answer.outputs["result"]
    assert isinstance(result, TensorValue)
    assert result.array is not None
    assert result.array.tolist() == torch.rand(3).tolist()


def test_an_operation_knows_which_ones_made_what_it_took() -> None:
    _, seen = traced("def f(x):\n    y = x + 1\n    return torch.stack([y, x]) @ y\n", x=torch.ones(3))

    assert [one.takes for one in seen.operations] == [(), (0,), (1, 0)]


def test_what_runs_again_is_one_operation_with_all_that_it_made() -> None:
    text = "def f(x):\n    for _ in range(2):\n        x = torch.cat([x, x])\n    return x\n"
    _, seen = traced(text, x=torch.ones(1, 3))

    assert [(one.made.shapes, one.made.times) for one in seen.operations] == [(((2, 3), (4, 3)), 2)]


def test_a_call_into_a_library_is_one_operation() -> None:
    text = "layer = nn.LayerNorm(3)\nnorm = lambda x: layer(x)\ndef f(x):\n    return norm(x)\n"

    assert made(text, x=torch.ones(2, 3)) == [("layer_norm", (2, 3))]


@pytest.mark.parametrize("statement", ["x += 1", "x[0] = 1", "x.exp_()"])
def test_a_tensor_that_is_written_into_is_made(statement: str) -> None:
    assert made(f"def f(x):\n    {statement}\n    return x\n", x=torch.ones(3))[-1][1:] == ((3,),)


def test_lambdas_and_comprehensions_belong_to_the_function_around_them() -> None:
    text = "def f(x):\n    first = lambda y: y[0]\n    return [first(row) for row in x[None]][0]\n"

    assert {one.function for one in traced(text, x=torch.ones(4, 3))[1].operations} == {"f"}


MODULE = """
class Layer(nn.Module):
    def __init__(self, d_in):
        super().__init__()
        self.project = nn.Linear(d_in, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("mask", torch.ones(4, 4))

    def forward(self, x):
        return self.project(x)
"""


def _run_layer(cls: Any, x: Tensor) -> Observation:
    layer = construct(cls, {"d_in": 3})
    return Observation({"context": layer(x), "shorter": layer(x[:1])})


def test_what_a_module_is_given_is_seen_and_nothing_of_how_torch_makes_it() -> None:
    assert made(MODULE, _run_layer, x=torch.ones(5, 3)) == [
        ("self.project.weight", (2, 3)),
        ("self.project.bias", (2,)),
        ("ones", (2,)),
        ("self.scale", (2,)),
        ("ones", (4, 4)),
        ("self.mask", (4, 4)),
        ("linear", (5, 2)),
        ("linear", (1, 2)),
    ]


def test_calls_from_outside_are_told_apart_with_what_they_were_given() -> None:
    _, seen = traced(MODULE, _run_layer, x=torch.ones(5, 3))

    assert seen.calls == (
        Call("Layer.__init__", (("d_in", "3"),)),
        Call("Layer.forward", (("x", (5, 3)),)),
        Call("Layer.forward", (("x", (1, 3)),)),
    )
    assert [one.call for one in seen.operations] == [0, 0, 0, 0, 0, 0, 1, 2]


FAILS = """
def g(y):
    return y @ y

def f(x):
    z = x + 1
    return g(z)
"""


def test_an_error_stops_at_the_own_line_with_what_the_operation_was_given() -> None:
    answer, seen = traced(FAILS, x=torch.ones(2, 3))

    assert answer.failure
    assert seen.stop
    assert seen.stop.lines == ((PATH, 9, "f"), (PATH, 5, "g"))
    assert (seen.stop.operands, seen.stop.takes) == ((("y", (2, 3)), ("y", (2, 3))), (0, 0))


def test_an_operand_is_named_after_an_attribute_too() -> None:
    text = MODULE.replace("self.project(x)", "x @ self.project.weight")
    _, seen = traced(text, _run_layer, x=torch.ones(5, 3))

    assert seen.stop
    assert seen.stop.operands == (("x", (5, 3)), ("self.project.weight", (2, 3)))
    assert seen.calls[seen.stop.call].function == "Layer.forward"


def test_an_error_that_is_caught_stops_nothing() -> None:
    text = "def f(x):\n    try:\n        x @ x\n    except RuntimeError:\n        return x[0]\n"
    answer, seen = traced(text, x=torch.ones(2, 3))

    assert (answer.failure, seen.stop) == (None, None)


def test_a_long_loop_is_noted_for_a_while_and_comes_to_its_end() -> None:
    answer, seen = traced("def f(x):\n    for _ in range(6_000):\n        x = x + 1\n    return x\n", x=torch.zeros(()))

    assert seen.operations[0].made.times == MOST_RUNS
    assert isinstance(result := answer.outputs["result"], TensorValue)
    assert result.array == 6_000


@pytest.mark.parametrize("made", ["torch.vmap(lambda row: row.exp())(x)", "torch.empty(3)"])
def test_tensors_without_numbers_have_a_shape(made: str) -> None:
    first = traced(f"def f(x):\n    return {made}\n", x=torch.ones(2, 3))[1].operations[0]

    assert (first.made.shapes, first.made.numbers) == (((3,),), ())


def test_what_something_outside_takes_is_an_end() -> None:
    _, seen = traced("def f(x):\n    y = x + 1\n    z = x + 2\n    return y\n", x=torch.ones(3))

    assert seen.ends == (0,)


def test_numbers_beyond_the_room_of_a_trace_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_KEPT", 5)
    _, seen = traced("def f(x):\n    return (x + 1) * 2\n", x=torch.ones(3))

    assert [len(one.made.numbers) for one in seen.operations] == [1, 0]

"""Following code: what came to be on which line, in what shape, and where it stopped."""

import contextlib
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.course.flow import MOST_TIMES, Call, Flow, Form, Made, from_plain, to_plain
from autograder.course.modules import construct
from autograder.course.probing import Observation, failure_of
from autograder.course.tracing import follow

PATH = "own.py"
HEADER = "import torch\nfrom torch import nn\n"


def followed(text: str, probe: Callable[..., Any] | None = None, **inputs: Tensor) -> Flow:
    """Follow the last function or class of a text."""
    implementation = list(compiled(text).__dict__.values())[-1]
    return follow(probe, implementation, inputs, 0, {PATH: HEADER + text}, failure_of)


def compiled(text: str) -> types.ModuleType:
    module = types.ModuleType("own")
    exec(compile(HEADER + text, PATH, "exec"), module.__dict__)
    return module


def made(flow: Flow) -> list[tuple[str, *tuple[Form, ...]]]:
    return [(one.name, *one.forms) for line in flow.lines for one in line.made]


def numbered(flow: Flow) -> list[tuple[int, str]]:
    return [(line.number, one.name) for line in flow.lines for one in line.made]


def counts(flow: Flow) -> dict[str, int]:
    return {one.name: one.times for line in flow.lines for one in line.made}


def test_names_and_the_result_come_with_their_lines_and_shapes() -> None:
    flow = followed("def f(x):\n    y = x[0]\n    return y.sum()\n", x=torch.ones(2, 3))

    assert [(line.number, line.text, line.function) for line in flow.lines] == [
        (4, "y = x[0]", "f"),
        (5, "return y.sum()", "f"),
    ]
    assert made(flow) == [("y", (3,)), ("return", ())]
    assert flow.outputs == {"result": ()}


def test_a_long_expression_shows_each_shape_on_the_way() -> None:
    text = "def f(x):\n    y = x.view(2, 3, 2).transpose(1, 2)\n    return y\n"

    assert made(followed(text, x=torch.ones(2, 6)))[:2] == [("view", (2, 3, 2)), ("y", (2, 2, 3))]


def test_an_operation_that_leaves_the_shape_alone_is_not_shown() -> None:
    assert made(followed("def f(x):\n    return (x * 2).exp() / 3\n", x=torch.ones(2, 3))) == [("return", (2, 3))]


def test_a_line_of_a_loop_is_shown_once_with_how_often_it_ran() -> None:
    flow = followed("def f(x):\n    for row in x:\n        total = row.sum()\n    return total\n", x=torch.ones(4, 3))

    assert counts(flow) == {"row": 4, "total": 4, "return": 1}


def test_a_tensor_that_grows_in_a_loop_shows_all_its_shapes() -> None:
    text = "def f(x):\n    for _ in range(2):\n        x = torch.cat([x, x])\n    return x\n"

    assert made(followed(text, x=torch.ones(1, 3))) == [("x", (2, 3), (4, 3)), ("return", (4, 3))]


def test_what_is_put_into_a_list_has_its_name() -> None:
    text = "def f(x):\n    rows = []\n    for row in x:\n        rows.append(row.sum())\n    return torch.stack(rows)\n"

    assert counts(followed(text, x=torch.ones(4, 3))) == {"row": 4, "rows": 4, "return": 1}


def test_a_comprehension_belongs_to_its_line() -> None:
    flow = followed("def f(x):\n    return torch.cat([row[:2] for row in x])\n", x=torch.ones(4, 3))

    assert made(flow) == [("row", (3,)), ("[ ]", (2,)), ("return", (8,))]


def test_a_generator_belongs_to_the_line_that_it_stands_on() -> None:
    text = "def f(x):\n    rows = (row[:2] for row in x)\n    return torch.cat(list(rows))\n"

    assert numbered(followed(text, x=torch.ones(4, 3))) == [(4, "row"), (4, "[ ]"), (5, "return")]


def test_a_lambda_belongs_to_the_line_that_it_stands_on() -> None:
    text = "def f(x):\n    first = lambda y: y[0]\n    y = first(x).exp()\n    return y.sum()\n"

    assert numbered(followed(text, x=torch.ones(4, 3))) == [(4, "[ ]"), (5, "y"), (6, "return")]


def test_a_lambda_that_is_handed_on_belongs_to_the_line_that_still_runs() -> None:
    text = "def apply(f, x):\n    y = x + 1\n    return f(y)\n\ndef f(x):\n    return apply(lambda y: y[0] @ y[0], x)\n"

    assert numbered(followed(text, x=torch.ones(4, 3))) == [(4, "y"), (5, "return"), (8, "[ ]"), (8, "return")]


def test_a_step_that_is_a_lambda_is_followed() -> None:
    flow = followed("f = lambda x: x[0].sum()\n", x=torch.ones(2, 3))

    assert numbered(flow) == [(3, "[ ]"), (3, "return")]


def test_a_nested_function_is_named_after_the_one_around_it() -> None:
    text = "def f(x):\n    def first(y):\n        return y[0]\n    return first(x)\n"

    assert [line.function for line in followed(text, x=torch.ones(2, 3)).lines] == ["f.first", "f"]


def test_tensors_of_one_statement_come_in_the_order_in_which_they_are_made() -> None:
    text = "def f(x, b, a):\n    a, b = x.sum(0), x[0].sum()\n    return a\n"

    assert made(followed(text, x=torch.ones(2, 3), b=torch.ones(1), a=torch.ones(1)))[:3] == [
        ("a", (3,)),
        ("[ ]", (3,)),
        ("b", ()),
    ]


@pytest.mark.parametrize("statement", ["x += 1", "x[0] = 1", "x.exp_()"])
def test_a_tensor_that_is_written_into_has_come_to_be_anew(statement: str) -> None:
    assert made(followed(f"def f(x):\n    {statement}\n    return x\n", x=torch.ones(3)))[0] == ("x", (3,))


def test_a_shape_that_changes_in_place_is_seen() -> None:
    assert ("x", (1, 3)) in made(followed("def f(x):\n    x.unsqueeze_(0)\n    return x\n", x=torch.ones(3)))


def test_lines_of_own_functions_come_before_the_line_that_calls_them() -> None:
    text = "def g(x):\n    return x[0]\n\ndef f(x):\n    y = g(x)\n    return y\n"

    assert [line.function for line in followed(text, x=torch.ones(2, 3)).lines] == ["g", "f", "f"]


MODULE = """
class Layer(nn.Module):
    def __init__(self, d_in):
        super().__init__()
        self.project = nn.Linear(d_in, 2)
        self.register_buffer("mask", torch.ones(4, 4))

    def forward(self, x):
        return self.project(x)
"""


def _run_layer(cls: Any, x: Tensor) -> Observation:
    layer = construct(cls, {"d_in": 3})
    return Observation({"context": layer(x), "again": layer(x), "shorter": layer(x[:1])})


def test_a_module_shows_its_parameters_its_buffers_and_its_result() -> None:
    assert made(followed(MODULE, _run_layer, x=torch.ones(5, 3))) == [
        ("self.project.weight", (2, 3)),
        ("self.project.bias", (2,)),
        ("self.mask", (4, 4)),
        ("return", (5, 2), (1, 2)),
    ]


def test_what_the_probe_calls_again_is_not_counted_again() -> None:
    assert counts(followed(MODULE, _run_layer, x=torch.ones(5, 3)))["return"] == 1


def test_a_line_that_raises_is_the_last_and_names_what_the_operation_took() -> None:
    flow = followed("def f(x):\n    y = x[0]\n    z = x @ x\n    return z\n", x=torch.ones(2, 3))

    assert flow.stopped
    assert flow.lines[-1].text == "z = x @ x"
    assert flow.operands == (("x", (2, 3)), ("x", (2, 3)))


def test_an_error_in_an_own_function_stops_there() -> None:
    text = "def g(x):\n    return x @ x\n\ndef f(x):\n    y = g(x)\n    return y\n"

    assert followed(text, x=torch.ones(2, 3)).lines[-1].function == "g"


def test_an_error_that_is_caught_stops_nothing() -> None:
    text = "def f(x):\n    try:\n        x @ x\n    except RuntimeError:\n        x = x[0]\n    return x\n"
    flow = followed(text, x=torch.ones(2, 3))

    assert (flow.stopped, flow.failure, flow.outputs) == (False, None, {"result": (3,)})


def test_what_is_done_about_an_error_of_an_own_function_is_on_its_own_line() -> None:
    text = "def g(x):\n    return x @ x\n\ndef f(x):\n    try:\n        return g(x + 1)\n    except RuntimeError:\n"
    flow = followed(text + "        return x[0]\n", x=torch.ones(2, 3))

    assert numbered(flow) == [(10, "return")]


def test_the_calls_that_led_to_an_error_are_told_from_the_inside_out() -> None:
    text = "def g(x):\n    return x @ x\n\ndef h(x):\n    return g(x)\n\ndef f(x):\n    return h(x)\n"

    assert followed(text, x=torch.ones(2, 3)).called_at == ((PATH, 7), (PATH, 10))


def test_what_would_have_got_a_name_without_the_error_is_told() -> None:
    text = "def g(x):\n    y = x @ x\n    return y\n\ndef f(x):\n    z = x\n    z = g(z)\n    return z\n"

    assert followed(text, x=torch.ones(2, 3)).ahead == (("g", "y"), ("f", "z"))


def test_an_error_in_a_comprehension_names_what_it_goes_through() -> None:
    flow = followed("def f(x):\n    return [row @ x for row in x]\n", x=torch.ones(2, 3))

    assert flow.operands == (("row", (3,)), ("x", (2, 3)))


TWO_WAYS = """
def f(x, scaled):
    total = x.sum()
    if scaled:
        return total.nothing()
    return total
"""


def _run_both_ways(function: Callable[..., Any], x: Tensor) -> Any:
    return function(x, False), function(x[:1], True)


def test_the_call_that_failed_is_told_with_what_it_was_given() -> None:
    flow = followed(TWO_WAYS, _run_both_ways, x=torch.ones(2, 3))

    assert flow.call == Call("f", {"x": (1, 3), "scaled": "True"})


def test_of_the_call_that_failed_alone_the_lines_are_shown() -> None:
    assert numbered(followed(TWO_WAYS, _run_both_ways, x=torch.ones(2, 3))) == [(5, "total")]


def test_what_fails_in_an_object_shows_how_it_was_made_too() -> None:
    flow = followed(MODULE.replace("self.project(x)", "self.project(x.nothing())"), _run_layer, x=torch.ones(5, 3))

    assert [line.function for line in flow.lines] == ["Layer.__init__", "Layer.__init__", "Layer.forward"]


def test_where_nothing_fails_no_call_is_told() -> None:
    assert followed(MODULE, _run_layer, x=torch.ones(5, 3)).call is None


@pytest.mark.parametrize(("several", "within"), [("[x, x[0]]", "list"), ("(x, x[0])", "tuple"), ("x[0]", "")])
def test_tensors_in_a_list_or_tuple_are_known_to_be_in_one(several: str, within: str) -> None:
    flow = followed(f"def f(x):\n    return {several}\n", x=torch.ones(2, 3))

    assert flow.lines[-1].made[-1].within == within


def test_another_thread_can_ask_for_the_line_that_runs() -> None:
    asked: list[Flow] = []

    @contextlib.contextmanager
    def watched(so_far: Callable[[], Flow]) -> Iterator[None]:
        def ask(x: Tensor) -> Tensor:
            thread = threading.Thread(target=lambda: asked.append(so_far()))
            thread.start()
            thread.join()
            return x

        module.__dict__["ask"] = ask
        yield

    text = "def f(x):\n    y = x[0]\n    return ask(y)\n"
    module = compiled(text)
    follow(None, module.__dict__["f"], {"x": torch.ones(2, 3)}, 0, {PATH: HEADER + text}, failure_of, watched)

    assert [(line.number, line.made) for line in asked[0].lines] == [(4, (Made("y", ((3,),)),)), (5, ())]
    assert asked[0].stopped


def test_a_long_loop_is_followed_no_further_and_comes_to_its_end() -> None:
    text = "def f(x):\n    for _ in range(20_000):\n        x = x + 1\n    return x\n"
    flow = followed(text, x=torch.zeros(2))

    assert counts(flow) == {"x": MOST_TIMES + 1, "return": 1}  # what x is at the end, too
    assert flow.outputs == {"result": (2,)}


def test_the_body_of_a_class_is_no_call() -> None:
    text = "def f(x):\n    class Kept:\n        width = 2\n    return x * Kept.width\n"

    assert made(followed(text, x=torch.ones(2, 3))) == [("return", (2, 3))]


def test_forgetting_to_return_is_seen() -> None:
    assert made(followed("def f(x):\n    y = x[0]\n", x=torch.ones(2, 3)))[-1] == ("return", "None")


def test_a_return_within_a_block_is_on_its_own_line() -> None:
    text = "def f(x):\n    with torch.no_grad():\n        return x[0].sum()\n"

    assert numbered(followed(text, x=torch.ones(2, 3))) == [(5, "[ ]"), (5, "return")]


@pytest.mark.parametrize("block", ["with torch.no_grad():", "for row in x:"])
def test_a_function_that_raises_within_a_block_returns_nothing(block: str) -> None:
    flow = followed(f"def f(x):\n    {block}\n        x.nothing()\n", x=torch.ones(2, 3))

    assert "return" not in counts(flow)


def test_the_first_numbers_of_a_layer_are_no_steps() -> None:
    text = "def f(x):\n    return nn.Linear(3, 2)(x)\n"

    assert made(followed(text, x=torch.ones(5, 3))) == [("return", (5, 2))]


def test_a_flow_survives_being_plain_data() -> None:
    flow = followed("def f(x):\n    y = x[0]\n    y = y @ x\n    return y\n", x=torch.ones(2, 3))

    assert from_plain(to_plain(flow)) == flow

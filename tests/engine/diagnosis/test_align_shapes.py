"""Where shapes depart: at the operation that makes something else, whatever names and ways the code has; nowhere if the same comes out."""

from functools import partial
from typing import Any

import pytest
import torch

from autograder.authoring.alternatives import read
from autograder.course.answer import Answer, judged
from autograder.course.probing import failure_of, observe
from autograder.course.tolerances import Tolerance
from autograder.course.trace import Trace
from autograder.course.tracing import trace
from autograder.diagnosis.align import Alignment
from autograder.exam.model import Exam, KeyCase, PaperCase
from autograder.runner.loading import SubmittedModules
from autograder.submission.model import Source
from autograder.workspace import COURSE

PATH = "own.py"

REFERENCE = """
def attend(queries, keys, values):
    scores = queries @ keys.mT
    exponentials = (scores - scores.amax()).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ values
"""

NUMBERS = torch.Generator().manual_seed(0)
INPUTS = {
    "queries": torch.randn(4, 3, generator=NUMBERS),
    "keys": torch.randn(5, 3, generator=NUMBERS),
    "values": torch.randn(5, 6, generator=NUMBERS),
}


def compared(*body: str) -> Alignment:
    """Compare a function of these lines with the reference."""
    lines = "\n    ".join(body)
    answer, seen = _traced(f"def attend(queries, keys, values):\n    {lines}\n")
    expected, reference = _traced(REFERENCE)
    case = PaperCase("part", "attend", "numbers", 0, False, {name: value.numpy() for name, value in INPUTS.items()})
    way = tuple(one.made for one in reference.operations)
    return Alignment(case, KeyCase(expected, Tolerance(1e-4, 1e-5), {}, (), way), seen, answer)


def _traced(text: str) -> tuple[Answer, Trace]:
    names: dict[str, Any] = {"torch": torch}
    exec(compile(text, PATH, "exec"), names)
    return trace(partial(observe, None, names["attend"], INPUTS, 0, False), failure_of, [PATH])


def departing(aligned: Alignment) -> str:
    """Return the name of the operation at which the shapes part; empty for none."""
    assert aligned.departure
    number = aligned.departure.operation
    return "" if number is None else aligned.trace.operations[number].name


WEIGHTS = "w = torch.softmax(queries @ keys.mT, dim=-1)"


@pytest.mark.parametrize(
    "body",
    [
        (WEIGHTS, "return w @ values"),
        ("rows = [torch.softmax(keys @ q, dim=0) @ values for q in queries]", "return torch.stack(rows)"),
        ("return (values.mT @ torch.softmax(keys @ queries.mT, dim=0)).mT",),
        ("return values[:4] * 0",),
    ],
)
def test_whoever_returns_the_same_shape_does_not_depart_whatever_the_way(body: tuple[str, ...]) -> None:
    assert compared(*body).departure is None


def test_what_the_reference_makes_too_is_recognised_in_any_shape() -> None:
    aligned = compared("scores = (keys @ queries.mT).mT", "return torch.softmax(scores, dim=-1) @ values")
    beside = [aligned.beside(number) for number in range(len(aligned.trace.operations))]

    assert [one and one.shapes for one in beside] == [((4, 3),), ((4, 5),), ((4, 5),), ((4, 5),), ((4, 6),)]


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ((WEIGHTS, "return w.sum(dim=0) @ values"), "sum"),
        ((WEIGHTS, "return values.mT @ w.mT"), "@"),
        (("w = torch.softmax(keys @ queries.mT, dim=0)", "return w"), "softmax"),
        (("w = (queries @ keys.mT)[:2]", "w = torch.softmax(w, dim=-1)", "return w @ values"), "[ ]"),
        (("scores = queries / 2 @ keys.mT", "return scores.sum(dim=-1)"), "sum"),
    ],
)
def test_the_first_operation_departs_from_which_on_nothing_is_known(body: tuple[str, ...], operation: str) -> None:
    assert departing(compared(*body)) == operation


def test_what_the_reference_makes_next_is_told() -> None:
    departure = compared("scores = queries @ keys.mT", "return scores.mean(dim=0) @ values").departure

    assert departure
    assert departure.instead
    assert departure.instead.shapes == ((),)  # the largest score


def test_where_the_output_itself_departs_the_expected_one_is_told() -> None:
    departure = compared(WEIGHTS, "return (w @ values).mT").departure

    assert departure
    assert departure.output == "result"
    assert departure.instead
    assert departure.instead.shapes == ((4, 6),)


def test_what_an_operation_that_raises_was_given_may_depart_before() -> None:
    body = ("e = (queries @ keys.mT).exp()", "return e / e.sum(dim=-1) @ values")

    assert departing(compared(*body)) == "sum"


def test_a_shape_of_an_own_way_does_not_depart_where_what_is_made_of_it_has_a_known_one() -> None:
    body = ("e = queries @ keys.mT * 2", "e = (e - e.amax(dim=-1, keepdim=True)).exp()", "return (e + 1) @ e")

    assert departing(compared(*body)) == ""


@pytest.mark.parametrize("body", ["return [queries, keys]", "return None", "return queries.tolist()"])
def test_what_is_no_tensor_departs_at_no_operation(body: str) -> None:
    aligned = compared(body)

    assert departing(aligned) == ""
    assert aligned.departure
    assert aligned.departure.output == "result"


@pytest.mark.parametrize(
    ("body", "missing"), [("return queries @ keys", ["result"]), (f"{WEIGHTS}; (w @ values) @ w", [])]
)
def test_what_was_made_is_not_missing_though_nothing_comes_out(body: str, missing: list[str]) -> None:
    assert compared(body).missing() == missing


@pytest.mark.slow
@pytest.mark.parametrize("part", COURSE.course.parts)
def test_no_right_way_departs(part: str, practice: Exam) -> None:
    departed = []
    for way in read(part, COURSE.root / "course" / part / "alternatives.py"):
        modules = SubmittedModules({part: Source.module(f"own/{part}.py", way.text)})
        implementation = getattr(modules.load(part), way.step)
        step = COURSE.course.part(part).step(way.step)
        for case in practice.paper.of(part, frozenset({way.step}))[:2]:
            inputs = {
                name: torch.from_numpy(value) if hasattr(value, "dtype") else value
                for name, value in case.inputs.items()
            }
            run = partial(observe, step.probe, implementation, inputs, case.seed, False)
            came, seen = trace(run, modules.describe, modules.paths)
            answer = judged(step.judge, case.inputs, came)
            if Alignment(case, practice.key.cases[case.path], seen, answer).departure:
                departed.append(f"{way.step}: {way.label} in {case.name}")

    assert departed == []

"""Draw a box in which readers write the one line of code that solves a step.

The page contains the inputs, and the answers of the reference and of known mistakes. A script on
the page runs the line and compares its result as the grader does.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch

from autograder.course.answer import PlainValue, TensorValue, Value, same_value
from autograder.course.draw import Draw
from autograder.course.model import Case, Step
from autograder.course.probing import failure_of, observe, value_of
from autograder.course.tolerances import TOLERANCE
from autograder.exam.build import run_module
from autograder.exam.reference import read
from autograder.site.embedding import widget
from autograder.site.figure import Figure
from autograder.workspace import here

SEED = 123
"""The seed of the random numbers in a step's cases."""

Implementation = Callable[..., Any]
Values = tuple[Value, ...]


def write(
    path: str,
    ask: str,
    cases: Sequence[str | Case | Mapping[str, Any]] = (),
    names: Mapping[str, str | None] | None = None,
    more: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
    labels: Sequence[str] = (),
    hints: Sequence[str] = (),
    output: str | None = None,
) -> Figure:
    """Return a box to write a step's line in. path: `part.step`. ask: the task, as a sentence.

    cases: names of the step's cases, other cases, or inputs; by default the step's first case. The
    line must be right for all; the box draws the first. names: new names of inputs; None leaves one
    out. more: functions that compute further inputs. labels: names of rows, for given inputs. hints:
    replace the step's hints. output: the name of the output to compare, if there are several.
    """
    part, _, name = path.partition(".")
    course = here().course
    step = course.part(part).step(name)
    chosen = _chosen(step, cases, labels)
    with torch.random.fork_rng(devices=[]):  # the page's own random numbers go on as if there were no box
        expected = [_answer(step, _implementations(part)[name], case, output) for case in chosen]
        mistakes = [
            (mistake.says, [_answer(step, mistake.implementation, case, output) for case in chosen])
            for mistake in course.mistakes(part)
            if mistake.step == name
        ]
    told = [(says, answers) for says, answers in mistakes if not all(map(_same, answers, expected, chosen))]
    sent = [
        {
            "name": case.name,
            "tolerance": vars(case.tolerance or TOLERANCE),
            "labels": [*case.labels.values()],
            "expected": [_sent(value) for value in expected[place]],
            "answers": [_of_mistake(answers[place], expected[place], case) for _, answers in told],
            "given": _given(case, names or {}, more or {}),
        }
        for place, case in enumerate(chosen)
    ]
    instead = f"{ask} Here the site has a box to write the line in, with what is expected beside what comes out. It needs JavaScript."
    own = [one for one in step.forbids if one not in course.forbidden.names]  # the box has nothing of the others
    without = {"without": own} if own else {}
    several = {"titles": list(step.returns)} if len(expected[0]) > 1 else {}
    return widget(
        course.pages.widgets,
        "write-line",
        instead,
        ask=ask,
        cases=sent,
        says=[says for says, _ in told],
        hints=hints or step.hints,
        step=name,
        **several,
        **without,
    )


def _chosen(step: Step, wanted: Sequence[str | Case | Mapping[str, Any]], labels: Sequence[str]) -> list[Case]:
    """Return the wanted cases. If none is wanted, return the step's first case."""
    drawn = {case.name: case for case in step.cases(Draw(SEED))}
    chosen = []
    for one in wanted or list(drawn)[:1]:
        if isinstance(one, Mapping):
            chosen.append(Case("these numbers", one, labels={"row": tuple(labels)}))
        else:
            chosen.append(one if isinstance(one, Case) else drawn[one])
    return chosen


@cache
def _implementations(part: str) -> Mapping[str, Implementation]:
    return run_module(read(here().course.solution(part)))


def _answer(step: Step, implementation: Implementation, case: Case, output: str | None) -> Values:
    """Return an implementation's outputs, or only the named one; empty if the implementation raises."""
    probe = step.probe if output else None  # several outputs are what a probe looks at
    answer = observe(probe, implementation, case.inputs, SEED, False, failure_of)
    return () if answer.failure else tuple(value for name, value in answer.outputs.items() if output in (None, name))


def _same(one: Values, other: Values, case: Case) -> bool:
    tolerance = case.tolerance or TOLERANCE
    return len(one) == len(other) and all(same_value(a, b, tolerance) for a, b in zip(one, other, strict=True))


def _of_mistake(answer: Values, expected: Values, case: Case) -> Any:
    """Return the values of a mistake's answer; True if the answer is right, False if it failed."""
    if _same(answer, expected, case):
        return True
    return [_sent(value) for value in answer] or False


def _sent(value: Value) -> Any:
    """Return a value as data for JSON. Booleans of a tensor become 1 and 0."""
    if isinstance(value, PlainValue):
        return {"python": value.type, "number": value.value if isinstance(value.value, int | float) else None}
    assert isinstance(value, TensorValue)
    assert value.array is not None  # no case is so large
    kind = {"b": "bool", "i": "int"}.get(value.array.dtype.kind, "float")
    numbers = value.array.astype(int) if kind == "bool" else value.array
    return {"kind": kind, "shape": value.shape, "numbers": numbers.ravel()}


def _given(case: Case, names: Mapping[str, str | None], more: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the inputs of a case, renamed by `names`, and those that `more` computes."""
    own = {called: value for name, value in case.inputs.items() if (called := names.get(name, name))}
    made = {name: make(case.inputs) for name, make in more.items()}
    return {name: _sent(value_of(value)) if hasattr(value, "numpy") else value for name, value in (own | made).items()}

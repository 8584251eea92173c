"""Generated mistakes: slips of the reference that nobody wrote down, and what comes out with them."""

import __future__

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course.answer import Answer, Failure, PlainValue, Value, within
from autograder.course.judging import judged
from autograder.course.model import Case, Step, Tolerance
from autograder.course.probing import failure_of, observe
from autograder.exam.agreement import same_value
from autograder.exam.model import Fingerprint, GeneratedMistake, KeyCase, PaperCase
from autograder.exam.sketches import has_form, sketch, which_are
from autograder.slips.edits import edits, reverse
from autograder.slips.vocabulary import REVERSED

ENOUGH = 4
"""Answers with fewer different wrong numbers may be given by accident."""

Drawn = Sequence[tuple[Case, PaperCase]]


def generated_mistakes(
    step: Step,
    text: str,
    namespace: Mapping[str, Any],
    drawn: Drawn,
    key: Mapping[str, KeyCase],
    known: Sequence[Fingerprint],
) -> tuple[GeneratedMistake, ...]:
    """Return the slips of a step's reference that can be told by their answers: other numbers than the right ones, in the right shapes.

    text: the reference's definition. namespace: of its module. known: the mistakes that are known; what answers as one of them is left to it.
    """
    cases = [key[case.path] for _, case in drawn]
    right = [case.expected for case in cases]
    others = [[one.answers.get(case.path, key[case.path].expected) for _, case in drawn] for one in known]
    taken = [found for answers in (right, *others) if (found := sketch(answers, right)) is not None]
    sketches, alike = np.array(taken), list[list[GeneratedMistake]]()
    for said, answers in _slips(step, text, namespace, drawn, cases):
        made = sketch(answers, right)
        if made is None:
            continue
        same = np.flatnonzero(which_are(sketches, made))
        if not len(same) and _wrong_numbers(answers, cases) >= ENOUGH:
            alike.append([GeneratedMistake(*said, made)])
            sketches = np.concatenate([sketches, made[None]])
        elif len(same) and same[0] >= len(taken):
            alike[same[0] - len(taken)].append(GeneratedMistake(*said, made))
    return tuple(several[0] for several in alike if len({one.says for one in several}) == 1)


def _slips(
    step: Step, text: str, namespace: Mapping[str, Any], drawn: Drawn, cases: Sequence[KeyCase]
) -> Iterator[tuple[tuple[str, str], list[Answer]]]:
    """Yield what is said of each slip that answers every case, and its answers. A `while` with one may never end, so it has none."""
    if any(isinstance(node, ast.While) for node in ast.walk(ast.parse(text))):
        return
    operations = {made.name for case in cases for made in case.way}
    for edit in edits(text, kinds=REVERSED):
        if said := reverse(edit, operations):
            answers = list(_answers(step, edit.text, namespace, drawn, cases))
            if len(answers) == len(cases):
                yield said, answers


def _answers(
    step: Step, text: str, namespace: Mapping[str, Any], drawn: Drawn, cases: Sequence[KeyCase]
) -> Iterator[Answer]:
    """Yield what a definition answers, up to the first case in which that is something else than numbers in the right shapes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch, on code that nobody wrote
        try:
            implementation = _defined(step.name, text, namespace)
        except Exception:
            return
        for (case, asked), key in zip(drawn, cases, strict=True):
            raw = observe(step.probe, implementation, case.inputs, asked.seed, False, _failure)
            answer = judged(step.judge, case.inputs, raw)
            if not has_form(answer, key.expected):
                return
            yield answer


def _defined(name: str, text: str, namespace: Mapping[str, Any]) -> Callable[..., Any]:
    """Execute a definition as one of the module that has the namespace, which stays as it is."""
    own = dict(namespace)
    exec(compile(text, "<slip>", "exec", __future__.annotations.compiler_flag, dont_inherit=True), own)
    defined: Callable[..., Any] = own[name]
    return defined


def _failure(error: BaseException) -> Failure:
    """Describe what a slip raised. Who ends the command ends it here, too."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    return failure_of(error)


def _wrong_numbers(answers: Sequence[Answer], cases: Sequence[KeyCase]) -> int:
    """Return how many different wrong numbers there are. A mask, or a tensor of other whole numbers, counts as one."""
    found = set[object]()
    for answer, case in zip(answers, cases, strict=True):
        for name, value in answer.outputs.items():
            right = case.expected.outputs[name]
            if not same_value(value, right, case.tolerance):
                found.update(_different_numbers(value, right, case.tolerance))
    return len(found)


def _different_numbers(value: Value, right: Value, tolerance: Tolerance) -> Iterable[object]:
    if isinstance(value, PlainValue) or isinstance(right, PlainValue) or value.array is None or right.array is None:
        return [value]
    if value.array.dtype.kind != "f":
        return [value.array.tobytes()]
    wrong = value.array[~within(value.array, right.array, tolerance.rtol, tolerance.atol)]
    return set(np.arcsinh(wrong[np.isfinite(wrong)]).round(4).tolist())

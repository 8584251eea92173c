"""Find the slices of an output that change if one slice of an input is changed."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.model import Words
from autograder.course.shapes import names_of
from autograder.course.tolerances import UNCHANGED
from autograder.exam.model import Influence, Pair, PaperCase
from autograder.exam.syllabus import SyllabusStep

MOST_SLICES = 8
"""The largest size of a dimension whose slices are changed, because each slice takes one run."""


def pairs_of(case: PaperCase, expected: Answer, step: SyllabusStep, words: Words) -> tuple[Pair, ...]:
    """Return the pairs of inputs and outputs of a case whose slices correspond.

    Slices correspond along two dimensions if the course has the same word for both, and both have
    sizes from 2 to MOST_SLICES. Without such dimensions, the whole input and output are a pair.
    """
    pairs: list[Pair] = []
    for (name, array), output in itertools.product(case.inputs.items(), expected.outputs):
        theirs = array_of(expected, output)
        if theirs is None or not isinstance(array, np.ndarray) or not array.size or name not in step.arguments:
            continue
        of, on = names_of(step.arguments[name], array.ndim), names_of(step.dims_of(output), theirs.ndim)
        axes = [
            (axis, other)
            for axis, other in _corresponding(of, on, words)
            if 2 <= array.shape[axis] <= MOST_SLICES and 2 <= theirs.shape[other] <= MOST_SLICES
        ]
        pairs += [Pair(name, output, axis, other) for axis, other in axes or [(-1, -1)]]
    return tuple(pairs)


def _corresponding(of: Sequence[str], on: Sequence[str], words: Words) -> Iterator[tuple[int, int]]:
    """Yield the axes of an input and an output whose slices have the same word.

    If both have the dimensions `q k`, the axis k of the input also corresponds to q of the output.
    The axis q of the input with k of the output is left out: it would repeat that information.
    """
    for axis, mine in enumerate(of):
        for other, theirs in enumerate(on):
            reverse = mine != theirs and theirs in of and mine in on and of.index(theirs) > axis
            if words.slices.get(mine) and words.slices.get(mine) == words.slices.get(theirs) and not reverse:
                yield axis, other


RunCases = Callable[[Sequence[PaperCase]], Mapping[str, Answer]]
"""A function that runs an implementation on cases and returns the answers by case path."""


def influences(case: PaperCase, pairs: Sequence[Pair], answer: Answer, run: RunCases) -> tuple[Influence, ...]:
    """Return the influence of each pair, unless the pair's output is missing or changes its shape.

    `run` runs the case once for each changed slice, without a backward pass. answer: the answer to
    the unchanged case.
    """
    slices = {(pair.input, pair.of): tuple(_changed_cases(case, pair)) for pair in pairs}
    answers = run([one for several in slices.values() for one in several])
    found = (_influence(pair, answer, [answers.get(one.path) for one in slices[pair.input, pair.of]]) for pair in pairs)
    return tuple(one for one in found if one)


def _changed_cases(case: PaperCase, pair: Pair) -> Iterator[PaperCase]:
    array = np.asarray(case.inputs[pair.input])
    for index in range(array.shape[pair.of] if pair.of >= 0 else 1):
        name = f"{case.name}, other {pair.input} {pair.of} {index}"
        inputs = {**case.inputs, pair.input: _changed(array, pair.of, index)}
        yield replace(case, name=name, gradients=False, inputs=inputs)


def _changed(array: Array, axis: int, index: int) -> Array:
    """Return an array with other values in one slice; in all slices if axis is -1."""
    where = (slice(None),) * axis + (index,) if axis >= 0 else ...
    other = array.copy()
    if array.dtype == np.bool_:
        other[where] = ~array[where]
    elif array.dtype.kind == "f":
        bent = 1.3 + 0.6 * np.cos(np.arange(array.size)).reshape(array.shape)
        other[where] = np.where(array == 0, 0.2 * bent, array * bent)[where]
    else:
        other[where] = np.roll(array, 1, max(axis, 0))[where] if array.ndim else array
    return other


def _influence(pair: Pair, answer: Answer, changed: Sequence[Answer | None]) -> Influence | None:
    before, columns = array_of(answer, pair.output), []
    for one in changed:
        after = array_of(one, pair.output)
        if before is None or after is None or after.shape != before.shape:
            return None
        largest = np.abs(before[np.isfinite(before)]).max(initial=0)
        differs = ~np.isclose(after, before, rtol=UNCHANGED, atol=UNCHANGED * largest, equal_nan=True)
        axes = tuple(axis for axis in range(differs.ndim) if axis != pair.on)
        columns.append(np.atleast_1d(differs.any(axis=axes)))
    return Influence(pair, np.stack(columns, axis=1))


def array_of(answer: Answer | None, output: str) -> Array | None:
    """Return the array of a tensor output; None for a failure or an output without an array."""
    value = answer.outputs.get(output) if answer and not answer.failure else None
    return value.array if isinstance(value, TensorValue) else None

"""The cause by influence: an input of a wrong step that changes nothing, or slices of its answer that change with what they should not.

The latter can be drawn: a row a slice of the answer, a column one of the input.
"""

from collections.abc import Iterator

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.shapes import names_of
from autograder.exam.influence import RunCases, influences
from autograder.exam.model import Influence
from autograder.grading.checks import Sheet
from autograder.grading.pictures import Picture, View, view_of
from autograder.grading.results import Diagnosis

ORDER = ("without_effect", "mixed", "sees_later", "sees_too_much", "sees_too_little")
"""What can be said, what says most first."""


def by_influence(sheet: Sheet, run: RunCases) -> Diagnosis | None:
    """Return what the inputs of a wrong case change that they should not, or do not change that they should.

    The inputs are changed slice by slice, and the answers compared with each other; the reference's influences are in the key.
    """
    expected = sheet.key.influences
    if sheet.answer.failure or not expected:
        return None
    pairs = [one.pair for one in expected]
    yours = {one.pair: one.changes for one in influences(sheet.paper, pairs, sheet.answer, run)}
    found = [
        (one, yours[one.pair])
        for one in expected
        if one.pair in yours and yours[one.pair].shape == one.changes.shape and _shows(sheet, one.pair.output)
    ]
    said = [diagnosis for one, changes in found for diagnosis in _diagnoses(sheet, one, changes)]
    return min(said, key=lambda diagnosis: ORDER.index(diagnosis.id), default=None)


def _shows(sheet: Sheet, output: str) -> bool:
    """Return whether an output shows what changes it: nan and infinity stay what they are, whatever changes."""
    expected, yours = (_array(answer, output) for answer in (sheet.key.expected, sheet.answer))
    return (
        expected is not None and yours is not None and bool(np.isfinite(yours).all() or not np.isfinite(expected).all())
    )


def _has_slices(sheet: Sheet, output: str) -> bool:
    """Return whether an output has the right shape: in another one the dimensions stand for something else."""
    expected, yours = (_array(answer, output) for answer in (sheet.key.expected, sheet.answer))
    return expected is not None and yours is not None and expected.shape == yours.shape


def _array(answer: Answer, output: str) -> Array | None:
    value = answer.outputs.get(output)
    return value.array if isinstance(value, TensorValue) else None


def _diagnoses(sheet: Sheet, one: Influence, yours: Array) -> Iterator[Diagnosis]:
    """Yield what can be said of an influence that is not as it should be."""
    answer, given = sheet.title_of(one.pair.output) or "answer", one.pair.input
    if one.changes.any() and not yours.any():
        says = f"`{given}` changes nothing in your {answer}."
        yield Diagnosis("influence", "without_effect", says, where=says)
    if not (word := _word(sheet, one)) or not _has_slices(sheet, one.pair.output):
        return
    picture = _picture(sheet, one, yours)
    for name, where, sentence in _differences(one.changes, yours):
        if where.any():
            row = int(np.argwhere(where)[0][0])
            column = int(np.argwhere(where[row])[-1][0])
            mine = f"{word.capitalize()} {_called(picture.rows[row], row)} of your {answer}"
            theirs = f"{word} {_called(picture.columns[column], column)} of `{given}`"
            says = sentence.format(mine=mine, theirs=theirs, word=word)
            yield Diagnosis("influence", name, says, where=says, picture=picture)


def _word(sheet: Sheet, one: Influence) -> str:
    """Return what the course calls a slice; nothing where an input was changed as a whole."""
    return sheet.syllabus.words.slices.get(_dims(sheet, one)[1], "") if one.pair.of >= 0 else ""


def _dims(sheet: Sheet, one: Influence) -> tuple[str, str]:
    """Return the names of the dimensions along which the output and the input have slices."""
    given, output = np.asarray(sheet.paper.inputs[one.pair.input]), sheet.key.expected.outputs[one.pair.output]
    assert isinstance(output, TensorValue)
    of = names_of(sheet.step.arguments.get(one.pair.input, ""), given.ndim)
    on = names_of(sheet.step.dims_of(one.pair.output), len(output.shape))
    return on[one.pair.on], of[one.pair.of]


def _picture(sheet: Sheet, one: Influence, yours: Array) -> View:
    """Return what changes with what, as it should be and as it is: a row a slice of the output, a column one of the input."""
    word, answer = _word(sheet, one), sheet.title_of(one.pair.output) or "answer"
    name = f"whether a {word} of the {answer} (row) changes with a {word} of {one.pair.input} (column)"
    return view_of(Picture(name, one.changes, yours, _dims(sheet, one), sheet.key.labels, sheet.syllabus.words))


def _differences(expected: Array, yours: Array) -> Iterator[tuple[str, Array, str]]:
    """Yield what may be otherwise than expected: its name, for which slices it holds, and what is said of a pair of these."""
    extra, lost = yours & ~expected, expected & ~yours
    if _is_causal(expected):
        later = np.triu(extra, 1 + extra.shape[1] - extra.shape[0])
        yield "sees_later", later, "{mine} changes with {theirs}, which comes later."
    elif np.array_equal(expected, np.eye(*expected.shape, dtype=bool)):
        yield "mixed", extra, "{mine} changes with {theirs}: the {word}s are mixed."
    else:
        yield "sees_too_much", extra, "{mine} changes with {theirs}, and should not."
    yield "sees_too_little", lost, "{mine} does not change with {theirs}, and should."


def _is_causal(changes: Array) -> bool:
    """Tell whether each slice changes with the first so many alone, and later ones with more of them."""
    seen = changes.sum(axis=1)
    prefixes = np.arange(changes.shape[1]) < seen[:, None]
    return bool(np.array_equal(changes, prefixes) and (np.diff(seen) > 0).any() and (np.diff(seen) >= 0).all())


def _called(label: str, place: int) -> str:
    return label if label == str(place) else f"'{label}'"

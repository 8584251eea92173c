"""Diagnosis by influence: find the slices of an answer that change if a slice of an input changes.

A picture has a row per slice (such as a token) of the answer, and a column per slice of the input.
"""

from collections.abc import Iterator

import numpy as np

from autograder.course.answer import Array
from autograder.course.shapes import names_of
from autograder.exam.influence import RunCases, array_of, influences
from autograder.exam.model import Influence
from autograder.grading.checks import Sheet
from autograder.grading.pictures import view_of
from autograder.grading.results import Diagnosis

ORDER = ("without_effect", "mixed", "sees_later", "sees_too_much", "sees_too_little")
"""The identifiers of diagnoses by influence, the most informative first."""


def by_influence(sheet: Sheet, run: RunCases) -> Diagnosis | None:
    """Diagnose the most informative difference in influence. run: returns answers to changed cases."""
    expected = sheet.key.influences
    if sheet.answer.failure or not expected:
        return None
    pairs = [one.pair for one in expected]
    yours = {one.pair: one.changes for one in influences(sheet.paper, pairs, sheet.answer, run)}
    said = [found for one in expected if one.pair in yours for found in _diagnoses(sheet, one, yours[one.pair])]
    return min(said, key=lambda diagnosis: ORDER.index(diagnosis.id), default=None)


def _diagnoses(sheet: Sheet, one: Influence, yours: Array) -> Iterator[Diagnosis]:
    given, output, words = one.pair.input, one.pair.output, sheet.syllabus.words
    right, mine = (array_of(answer, output) for answer in (sheet.key.expected, sheet.answer))
    if right is None or mine is None or yours.shape != one.changes.shape:
        return
    if np.isfinite(right).all() and not np.isfinite(mine).all():
        return
    answer = sheet.step.title_of(output) or "answer"
    if one.changes.any() and not yours.any():
        says = f"`{given}` changes nothing in your {answer}."
        yield Diagnosis("influence", "without_effect", says, where=says)
    if one.pair.of < 0 or right.shape != mine.shape:  # the whole input was changed, or the shape is wrong
        return
    of = names_of(sheet.step.arguments[given], np.asarray(sheet.paper.inputs[given]).ndim)
    on = names_of(sheet.step.dims_of(output), right.ndim)
    word = words.slices[of[one.pair.of]]
    name = f"whether a {word} of the {answer} (row) changes with a {word} of {given} (column)"
    dims = on[one.pair.on], of[one.pair.of]
    picture = view_of(name, one.changes, yours, dims, sheet.key.labels, words)
    for id, where, sentence in _differences(one.changes, yours):
        if where.any():
            row = int(np.argwhere(where)[0][0])
            column = int(np.argwhere(where[row])[-1][0])
            labels = (picture.rows[row], row), (picture.columns[column], column)
            first, other = (label if label == str(place) else f"'{label}'" for label, place in labels)
            subject = f"{word.capitalize()} {first} of your {answer}"
            says = sentence.format(mine=subject, theirs=f"{word} {other} of `{given}`", word=word)
            yield Diagnosis("influence", id, says, where=says, picture=picture)


def _differences(expected: Array, yours: Array) -> Iterator[tuple[str, Array, str]]:
    """Yield each difference as (identifier, mask of shape (answer slices, input slices), sentence)."""
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
    """Return whether each answer slice depends on the first input slices only, and later ones on more."""
    seen = changes.sum(axis=1)
    prefixes = np.arange(changes.shape[1]) < seen[:, None]
    return bool(np.array_equal(changes, prefixes) and (np.diff(seen) > 0).any() and (np.diff(seen) >= 0).all())

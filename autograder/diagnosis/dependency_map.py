"""The cause by influence: an input of a wrong step that changes nothing, or slices of its answer that change with what they should not.

The latter can be drawn: a row a slice of the answer, a column one of the input.
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
    said = [found for one in expected if one.pair in yours for found in _diagnoses(sheet, one, yours[one.pair])]
    return min(said, key=lambda diagnosis: ORDER.index(diagnosis.id), default=None)


def _diagnoses(sheet: Sheet, one: Influence, yours: Array) -> Iterator[Diagnosis]:
    """Yield what can be said of an influence that is not as it should be. NaN and infinity show none: they stay what they are."""
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
    if one.pair.of < 0 or right.shape != mine.shape:  # an input changed as a whole, dimensions that mean something else
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

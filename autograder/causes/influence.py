"""The cause by influence: an input of a wrong step that changes nothing, or slices of its answer that change with what they should not."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from autograder.course.answer import Answer, Array
from autograder.course.shapes import names_of
from autograder.exam.influence import changed_cases, influences
from autograder.exam.model import Influence, PaperCase
from autograder.marking.case_checks import Sheet
from autograder.marking.marks import Diagnosis

ORDER = ("without_effect", "mixed", "sees_later", "sees_too_much", "sees_too_little")
"""What can be said, what says most first."""

RunCases = Callable[[Sequence[PaperCase]], Mapping[str, Answer]]
"""Lets the submission sit some cases, and returns its answers by case path."""


def by_influence(sheet: Sheet, run: RunCases) -> Diagnosis | None:
    """Return what the inputs of a wrong case change that they should not, or do not change that they should.

    The inputs are changed slice by slice, and the answers compared with each other; the reference's influences are in the key.
    """
    expected = sheet.key.influences
    if sheet.answer.failure or not expected:
        return None
    pairs = [one.pair for one in expected]
    changed = run(tuple(changed_cases(sheet.paper, pairs)))
    yours = {one.pair: one.changes for one in influences(sheet.paper, pairs, sheet.answer, changed)}
    found = [
        (one, yours[one.pair]) for one in expected if one.pair in yours and yours[one.pair].shape == one.changes.shape
    ]
    said = [diagnosis for one, changes in found for diagnosis in _diagnoses(sheet, one, changes)]
    return min(said, key=lambda diagnosis: ORDER.index(diagnosis.id), default=None)


def _diagnoses(sheet: Sheet, one: Influence, yours: Array) -> Iterator[Diagnosis]:
    """Yield what can be said of an influence that is not as it should be."""
    word, extra, lost = _word(sheet, one), yours & ~one.changes, one.changes & ~yours
    if one.changes.any() and not yours.any():
        yield _diagnosis("without_effect", f"`{one.pair.input}` changes nothing in your {_answer(sheet, one)}.")
    if not word:
        return
    if _is_causal(one.changes):
        later = np.triu(extra, 1 + extra.shape[1] - extra.shape[0])
        yield from _said(sheet, one, later, "sees_later", "{mine} changes with {theirs}, which comes later.")
    elif np.array_equal(one.changes, np.eye(*one.changes.shape, dtype=bool)):
        yield from _said(sheet, one, extra, "mixed", f"{{mine}} changes with {{theirs}}: the {word}s are mixed.")
    else:
        yield from _said(sheet, one, extra, "sees_too_much", "{mine} changes with {theirs}, and should not.")
    yield from _said(sheet, one, lost, "sees_too_little", "{mine} does not change with {theirs}, and should.")


def _is_causal(changes: Array) -> bool:
    """Tell whether each slice changes with the first so many alone, and later ones with more of them."""
    seen = changes.sum(axis=1)
    prefixes = np.arange(changes.shape[1]) < seen[:, None]
    return bool(np.array_equal(changes, prefixes) and (np.diff(seen) > 0).any() and (np.diff(seen) >= 0).all())


def _said(sheet: Sheet, one: Influence, where: Array, name: str, sentence: str) -> Iterator[Diagnosis]:
    """Say something of the first slice of the answer, and the last of the input, for which it holds."""
    if where.any():
        row = int(np.argwhere(where)[0][0])
        column = int(np.argwhere(where[row])[-1][0])
        word = _word(sheet, one)
        labels = sheet.key.labels.get(word, ())
        mine, theirs = (f"'{labels[place]}'" if place < len(labels) else str(place) for place in (row, column))
        yours = f"{word.capitalize()} {mine} of your {_answer(sheet, one)}"
        yield _diagnosis(name, sentence.format(mine=yours, theirs=f"{word} {theirs} of `{one.pair.input}`"))


def _word(sheet: Sheet, one: Influence) -> str:
    """Return what the course calls a slice; nothing where an input was changed as a whole."""
    array = sheet.paper.inputs[one.pair.input]
    if one.pair.of < 0 or not isinstance(array, np.ndarray):
        return ""
    names = names_of(sheet.step.arguments.get(one.pair.input, ""), array.ndim)
    return sheet.syllabus.words.slices.get(names[one.pair.of], "")


def _answer(sheet: Sheet, one: Influence) -> str:
    return sheet.title_of(one.pair.output) or "answer"


def _diagnosis(name: str, says: str) -> Diagnosis:
    return Diagnosis("influence", name, says, where=says)

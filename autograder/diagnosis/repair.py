"""The cause by cure: small edits of the submission's own code are tried, until one makes every case right.

An edit that makes every case right is a proof: what it changes was wrong. One that makes more cases right, or takes the first wrong
case further, is one of several, and the search goes on from there. One that makes another case wrong is an accident.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice

from autograder.diagnosis.attempts import OUTPUTS, Attempt, Change, attempted, how_far, is_right, lines_of, reached
from autograder.diagnosis.operators.edits import Edit, edits, how, what
from autograder.diagnosis.operators.vocabulary import REPLACED
from autograder.diagnosis.search import Search
from autograder.grading.checks import Sheet
from autograder.grading.results import Diagnosis, Spot
from autograder.runner.candidate_runs import Trials
from autograder.submission.definitions import Definitions
from autograder.submission.model import Source

TURNS = frozenset(("triangle", "comparison", "mask_turned_round"))
"""Slips of different kinds that do the same: each turns a mask round."""

MOST_ALIKE = 12
"""So many edits of the kind of a cure are tried in later lines."""


def by_cure(
    sheets: Sequence[Sheet], source: Source, definitions: Definitions, trials: Trials, near: Collection[int] = ()
) -> Diagnosis | None:
    """Return the first small edit that makes every case of a step right, or one of several that do so together.

    source: the module of the step. near: lines of it that are looked at first.
    """
    begin = attempted((), {}, sheets, {sheet.paper.path: sheet.answer for sheet in sheets})
    if begin.wrong is None:
        return None
    found = Search(begin, sheets, reached(source, definitions, begin.wrong), near, trials).run()
    # What leaves the case wrong that students see would explain another mistake than the one that is shown.
    if not found or (found.wrong and found.wrong.paper == begin.wrong.paper):
        return None
    told = _last_alike(found, begin.wrong, sheets, trials)
    return _diagnosis(told, _in_order(told, begin, trials), sheets)


def _last_alike(found: Attempt, shown: Sheet, sheets: Sequence[Sheet], trials: Trials) -> Attempt:
    """Return a cure by one edit, or the last of those that do the same in a later line: what is written later is copied, and fits less often."""
    if found.wrong or len(found.changes) > 1:
        return found
    [change] = found.changes
    uses, kinds = frozenset(made.name for made in shown.key.way), {change.edit.slip}
    if kinds <= TURNS:
        kinds = set(TURNS)
    made = edits(change.definition.text, uses, (), kinds)
    alike = (one for one in made if one.line > change.edit.line and _adds_as_much(one, change.edit))
    later = [
        replace(found, changes=(replace(change, edit=one),), texts={change.definition.name: one.text})
        for one in islice(alike, MOST_ALIKE)
    ]
    tried = trials.run([one.text for one in later], tuple(sheet.paper for sheet in sheets))
    right = [
        one
        for one, trial in zip(later, tried, strict=False)
        if all(is_right(sheet, trial.answers.get(sheet.paper.path)) for sheet in sheets)
    ]
    return right[-1] if right else found


def _adds_as_much(one: Edit, other: Edit) -> bool:
    """Return whether two edits change the text by as much, or both turn something round: what is added undoes what is too much elsewhere."""
    return len(one.text) == len(other.text) or {one.slip, other.slip} <= TURNS


def _in_order(found: Attempt, begin: Attempt, trials: Trials) -> list[Change]:
    """Return the changes of a cure, the first on the way of the data first; but that which takes the case that students see further before one that does not."""
    ordered = sorted(found.changes, key=lambda one: one.definition.line + one.edit.line)
    if begin.wrong is None or len({(one.definition, one.edit.line) for one in ordered}) < len(ordered):
        return ordered
    first, *others = found.changes
    alone = replace(found, changes=(first,), texts={first.definition.name: first.edit.text})
    tried = trials.run([alone.text], (begin.wrong.paper,))
    if not tried:  # the time is over: the search, too, takes first what comes further
        return [first, *others]
    answer = tried[0].answers.get(begin.wrong.paper.path)
    if begin.progress < OUTPUTS:
        alone = replace(alone, progress=how_far(begin.wrong, answer), lines=lines_of(answer))
        return [first, *others] if alone.is_further_than(begin) else [*others, first]
    return [first, *others] if is_right(begin.wrong, answer) else [*others, first]


def _diagnosis(attempt: Attempt, ordered: Sequence[Change], sheets: Sequence[Sheet]) -> Diagnosis:
    """Say the first of the changes in three rungs; the last one says all of them."""
    first, cured = ordered[0], attempt.wrong is None
    edit, line = first.edit, first.definition.line + first.edit.line - 1
    spot = Spot(first.definition.file, line, edit.first, edit.last, first.definition.text.splitlines()[edit.line - 1])
    where = f"Look at line {line}: `{edit.was}`."
    merged = _merged([one.edit for one in ordered])
    said = ", and ".join(map(how, merged))
    if cured:
        result = "the case is right" if len(sheets) == 1 else f"all {len(sheets)} cases are right"
        result += ": it was tried."
    else:
        result = f"{len(attempt.right)} of {len(sheets)} cases are right: something else is wrong, too."
    told = merged[0] if merged[0].first == edit.first and merged[0].line == edit.line else edit
    return Diagnosis(
        "cure",
        told.slip,
        where,
        where=where,
        what=f"{what(told)}.",
        how=f"{said[:1].upper()}{said[1:]}, {result}",
        spot=spot,
        more=len(merged) > 1 or not cured,
        proved=cured,
    )


def _merged(made: Sequence[Edit]) -> list[Edit]:
    """Return some edits, of which one that changes what the one before made is told as one with it."""
    found: list[Edit] = []
    for one in made:
        if found and found[-1].becomes == one.was and one.becomes:
            found[-1] = replace(found[-1], becomes=one.becomes, done="", slip=REPLACED)
        else:
            found.append(one)
    return found

"""The cause by cure: small edits of the submission's own code are tried, until one makes every case right.

An edit that makes every case right is a proof: what it changes was wrong. One that makes more cases right, or takes the first wrong
case further, is one of several, and the search goes on from there. One that makes another case wrong is an accident.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from autograder.causes.attempts import Attempt, attempted, reached
from autograder.causes.search import Search
from autograder.marking.case_checks import Sheet
from autograder.marking.definitions import Definitions
from autograder.marking.marks import Diagnosis, Spot
from autograder.sitting.submission import Source
from autograder.sitting.trials import Trials
from autograder.slips.edits import Edit, how, what


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
    return _diagnosis(found, sheets) if found else None


def _diagnosis(attempt: Attempt, sheets: Sequence[Sheet]) -> Diagnosis:
    """Say the first of the changes, which is the first on the way of the data, in three rungs; the last one says all of them."""
    ordered = sorted(attempt.changes, key=lambda one: one.definition.line + one.edit.line)
    first, cured = ordered[0], attempt.wrong is None
    edit, line = first.edit, first.definition.line + first.edit.line - 1
    spot = Spot(first.definition.file, line, edit.first, edit.last, first.definition.text.splitlines()[edit.line - 1])
    where = f"Look at line {line}: `{edit.was}`."
    said = ", and ".join(map(how, _merged([one.edit for one in ordered])))
    if cured:
        result = "the case is right" if len(sheets) == 1 else f"all {len(sheets)} cases are right"
        result += ": it was tried."
    else:
        result = f"{len(attempt.right)} of {len(sheets)} cases are right: something else is wrong, too."
    return Diagnosis(
        "cure",
        edit.slip,
        where,
        where=where,
        what=f"{what(edit)}.",
        how=f"{said[:1].upper()}{said[1:]}, {result}",
        spot=spot,
        more=len(ordered) > 1 or not cured,
        proved=cured,
    )


def _merged(made: Sequence[Edit]) -> list[Edit]:
    """Return some edits, of which one that changes what the one before made is told as one with it."""
    found: list[Edit] = []
    for one in made:
        if found and found[-1].becomes == one.was and one.becomes:
            found[-1] = replace(found[-1], becomes=one.becomes, done="")
        else:
            found.append(one)
    return found

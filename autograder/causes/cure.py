"""The cause by cure: small edits of the submission's own code are tried, until one makes every case right.

An edit that makes every case right is a proof: what it changes was wrong. One that makes more cases right, or takes the first wrong
case further, is one of several, and the search goes on from there. One that makes another case wrong is an accident.
"""

import ast
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue
from autograder.course.trace import Numbers, Trace
from autograder.exam.agreement import same_answer, same_outputs
from autograder.marking.case_checks import Sheet
from autograder.marking.definitions import Definitions
from autograder.marking.marks import Diagnosis, Spot
from autograder.marking.recognition import tells
from autograder.sitting.submission import Source, parse
from autograder.sitting.trials import Trial, Trials
from autograder.slips.edits import Edit, edits, how, what

BATCH = 32
"""Edits that are tried together, so that neither side waits for the other."""

MOST_EDITS = 2
"""As many small edits together still say something; of three, some are right by accident."""

REMOVALS = frozenset(
    (
        "needless_scaling",
        "needless_root",
        "needless_operand",
        "needless_mask",
        "needless_call",
        "needless_argument",
        "needless_layer",
        "needless_transpose",
        "gradient_stop",
        "dropped",
        "context",
        "whole",
    )
)
"""Slips of which what is too much is left out."""

MOST_LEFT_OUT = 1500
"""Of so many edits those are looked at that only leave something out."""

MOST_GUIDED = 80
"""Of so many edits it is seen what they make on the way, which takes longer than the answer alone."""

FEWEST, NEAR = 4, 1e-5
"""Fewer numbers than these may be related by chance; related ones differ by less than this share."""

MOST_BRANCHES = 6
"""From so many edits of a turn that take the first wrong case further the search goes on."""

ALONE = 4
"""Turns of single edits before a cure by several is told: what one edit mends is not told as two."""

BATCHES, AHEAD = 10, 2.0
"""Batches a turn; turns that a branch is ahead of one whose first wrong case comes a stage less far."""


@dataclass(frozen=True)
class Definition:
    """A definition at the top level of a submission's module. file: as tracebacks name it. line: its first one."""

    name: str
    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Change:
    """One edit of one definition."""

    definition: Definition
    edit: Edit


@dataclass(frozen=True)
class Attempt:
    """The submission with some changes. texts: the definitions as they are then, by name.

    right: the cases that are right. wrong: the first that is not; none if all are right. progress: how far that one comes.
    """

    changes: tuple[Change, ...]
    texts: Mapping[str, str]
    right: frozenset[str]
    wrong: Sheet | None
    progress: float

    @property
    def text(self) -> str:
        """All definitions that were changed."""
        return "\n\n".join(self.texts.values())


class Branch:
    """The search on from one attempt, some edits a turn. rank: the smallest has the next turn; it grows with each."""

    def __init__(self, attempt: Attempt, rank: float, reached: Sequence[Definition], near: Collection[int]) -> None:
        self.attempt, self.rank, self.turns, self.is_over = attempt, rank, 0, False
        self._candidates = _candidates(reached, attempt, near)

    def turn(self, sheets: Sequence[Sheet], trials: Trials) -> Iterator[Attempt]:
        """Try some edits more on the first wrong case; yield what takes it further than it came."""
        wrong = self.attempt.wrong
        assert wrong
        self.rank, self.turns = self.rank + 1, self.turns + 1
        for _ in range(BATCHES):
            batch = list(itertools.islice(self._candidates, BATCH))
            tried = trials.run([one.text for one in batch], (wrong.paper,))
            self.is_over = len(tried) < BATCH
            for one, trial in zip(batch, tried, strict=False):
                progress = _progress(wrong, trial.answers.get(wrong.paper.path))
                if progress == RIGHT and (found := _on_all_cases(sheets, one, trials)):
                    yield found
                elif self.attempt.progress < progress < RIGHT:
                    yield replace(one, progress=progress)
            if self.is_over:
                return


def by_cure(
    sheets: Sequence[Sheet], source: Source, definitions: Definitions, trials: Trials, near: Collection[int] = ()
) -> Diagnosis | None:
    """Return the first small edit that makes every case of a step right, or one of several that do so together.

    source: the module of the step. near: lines of it that are looked at first.
    """
    begin = _attempt((), {}, sheets, {sheet.paper.path: sheet.answer for sheet in sheets})
    if begin.wrong is None:
        return None
    reached = _reached(source, definitions, begin.wrong)
    first, partial = Branch(begin, 0.0, reached, near), begin
    branches, several = [first], None
    unguided = (Branch(one, 0.0, reached, near) for one in _removals(begin, reached, near))
    for turn in itertools.count():
        branches = branches or list(itertools.islice(unguided, 1))
        if trials.is_over or not branches or (several and (first.is_over or first.turns >= ALONE)):
            break
        is_alone = not first.is_over and (several or turn % 2 == 0)
        branch = first if is_alone else min(branches, key=lambda one: one.rank)
        further = []
        for found in branch.turn(sheets, trials):
            if found.wrong is None and len(found.changes) == 1:
                return _diagnosis(_left_out(found, begin, reached, sheets, trials) or found, sheets)
            if found.wrong is None:
                several = several or found
            else:
                further.append(found)
        if partial is begin:
            partial = next((one for one in further if _is_telling(one, begin, sheets)), begin)
        if branch is first and first.turns == 1:
            further += _guided(begin.wrong, reached, begin, trials, near)
        further.sort(key=lambda one: -_reach(one, begin))
        branches += [
            Branch(one, place / MOST_BRANCHES - AHEAD * (_reach(one, begin) - begin.progress), reached, near)
            for place, one in enumerate(further[:MOST_BRANCHES])
            if len(one.changes) < MOST_EDITS
        ]
        branches = [one for one in branches if not one.is_over]
    told = several or partial
    return _diagnosis(told, sheets) if told is not begin else None


def _left_out(
    found: Attempt, begin: Attempt, reached: Sequence[Definition], sheets: Sequence[Sheet], trials: Trials
) -> Attempt | None:
    """Return a cure that only leaves something out, if there is one: what undoes it in another way is an accident of it."""
    if found.changes[0].edit.slip in REMOVALS:
        return None
    shorter = list(_removals(begin, reached))
    tried = trials.run([one.text for one in shorter], tuple(sheet.paper for sheet in sheets))
    attempts = (
        _attempt(one.changes, one.texts, sheets, trial.answers) for one, trial in zip(shorter, tried, strict=False)
    )
    return next((one for one in attempts if one.wrong is None), None)


def _removals(begin: Attempt, reached: Sequence[Definition], near: Collection[int] = ()) -> Iterator[Attempt]:
    """Yield the likeliest edits that only leave something out."""
    likeliest = itertools.islice(_candidates(reached, begin, near), MOST_LEFT_OUT)
    return (one for one in likeliest if one.changes[0].edit.slip in REMOVALS)


def _attempt(
    changes: tuple[Change, ...], texts: Mapping[str, str], sheets: Sequence[Sheet], answers: Mapping[str, Answer]
) -> Attempt:
    """Return an attempt whose answers to all cases are known."""
    wrong = [sheet for sheet in sheets if not _is_right(sheet, answers.get(sheet.paper.path))]
    right = frozenset(sheet.paper.path for sheet in sheets) - {sheet.paper.path for sheet in wrong}
    if not wrong:
        return Attempt(changes, texts, right, None, RIGHT)
    return Attempt(changes, texts, right, wrong[0], _progress(wrong[0], answers.get(wrong[0].paper.path)))


def _is_telling(found: Attempt, begin: Attempt, sheets: Sequence[Sheet]) -> bool:
    """Return whether at least half of the wrong cases have become right, in numbers that are hardly so by an accident."""
    gained = [sheet.key.expected for sheet in sheets if sheet.paper.path in found.right - begin.right]
    arrays = [one.array for answer in gained for one in answer.outputs.values() if isinstance(one, TensorValue)]
    numbers = {float(number) for array in arrays if array is not None for number in array.ravel()}
    return 2 * len(gained) >= len(sheets) - len(begin.right) and len(numbers) >= FEWEST


def _reach(found: Attempt, begin: Attempt) -> float:
    """Return how far an attempt takes the case that was the first wrong one at the beginning."""
    return RIGHT if found.right > begin.right else found.progress


def _is_right(sheet: Sheet, answer: Answer | None) -> bool:
    return answer is not None and same_answer(answer, sheet.key.expected, sheet.key.tolerance)


RAISED, ANSWERED, TENSORS, SHAPES, OUTPUTS, RIGHT = range(6)
"""How far an answer comes: an exception, something, tensors of another shape, of the right shapes, the right numbers, right in everything."""

RELATED = 0.5
"""Added for numbers of which the right ones are a multiple, or that are the right ones in another order."""


def _progress(sheet: Sheet, answer: Answer | None) -> float:
    expected = sheet.key.expected
    if answer is None or answer.failure:
        return RAISED
    if _is_right(sheet, answer):
        return RIGHT
    if same_outputs(answer, expected, sheet.key.tolerance):
        return OUTPUTS
    wanted = {name: one for name, one in expected.outputs.items() if isinstance(one, TensorValue)}
    yours = {name: answer.outputs.get(name) for name in wanted}
    if not wanted or not all(isinstance(one, TensorValue) for one in yours.values()):
        return ANSWERED
    pairs = [(one, wanted[name]) for name, one in yours.items() if isinstance(one, TensorValue)]
    if not all(one.shape == other.shape for one, other in pairs):
        return TENSORS
    related = all(_are_related(one.array, other.array) for one, other in pairs)
    return SHAPES + (RELATED if related else 0)


def _are_related(yours: Array | None, expected: Array | None) -> bool:
    if yours is None or expected is None or expected.size < FEWEST:
        return False
    with np.errstate(all="ignore"):
        one, other = yours.ravel().astype(float), expected.ravel().astype(float)
        if np.allclose(np.sort(one), np.sort(other), rtol=NEAR, atol=NEAR):
            return True
        return bool(np.abs(np.corrcoef(one, other)[0, 1]) > 1 - NEAR)


def _reached(source: Source, definitions: Definitions, sheet: Sheet) -> list[Definition]:
    """Return the definitions of the module that a step is made of: its own, then those that it mentions and are no steps."""
    part, step = sheet.paper.part, sheet.paper.step
    steps = {other.name for other in sheet.syllabus.part(part).steps}
    names = {name for module, name in definitions.called_by(part, step) if module == part and name not in steps}
    found: dict[str, Definition] = {}
    for block in source.blocks:
        try:
            tree = parse(block.text)
        except SyntaxError:
            continue
        lines = block.text.splitlines(keepends=True)
        for node in tree.body:
            for name in _defined(node):
                if name == step or name in names:
                    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
                    text = "".join(lines[first - 1 : node.end_lineno])
                    found[name] = Definition(name, block.path, first, text)
    return sorted(found.values(), key=lambda one: one.name != step)


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]):
            yield name


def _guided(
    wrong: Sheet, reached: Sequence[Definition], attempt: Attempt, trials: Trials, near: Collection[int]
) -> Iterator[Attempt]:
    """Yield edits after which more of what the reference makes on its way is made, though the answer comes no further."""
    likeliest = list(itertools.islice(_candidates(reached, attempt, near), MOST_GUIDED))
    known = [numbers for made in wrong.key.way for numbers in made.numbers[:1] if tells(numbers)]
    before = _on_the_way(known, wrong, attempt.text or reached[0].text, trials)
    for one in likeliest:
        found = _on_the_way(known, wrong, one.text, trials)
        if found > before:
            yield replace(one, progress=attempt.progress + found / (len(known) + 1) * RELATED)


def _on_the_way(known: Sequence[Numbers], wrong: Sheet, text: str, trials: Trials) -> int:
    """Return how much of what is known is made on the first wrong case."""
    (trial,) = trials.run([text], (wrong.paper,), traced=True) or [Trial()]
    trace = trial.traces.get(wrong.paper.path, Trace())
    made = [numbers for operation in trace.operations for numbers in operation.made.numbers]
    return sum(any(one.are(other, in_order=True) for other in made) for one in known)


def _candidates(reached: Sequence[Definition], attempt: Attempt, near: Collection[int]) -> Iterator[Attempt]:
    for one in reached:
        lines = [line - one.line + 1 for line in near if 0 <= line - one.line < one.text.count("\n") + 1]
        for edit in edits(attempt.texts.get(one.name, one.text), near=lines):
            changes = (*attempt.changes, Change(one, edit))
            yield replace(attempt, changes=changes, texts={**attempt.texts, one.name: edit.text})


def _on_all_cases(sheets: Sequence[Sheet], attempt: Attempt, trials: Trials) -> Attempt | None:
    """Return what comes of an attempt that makes one case more right; nothing if it makes another one wrong."""
    (trial,) = trials.run([attempt.text], tuple(sheet.paper for sheet in sheets)) or [Trial()]
    found = _attempt(attempt.changes, attempt.texts, sheets, trial.answers)
    return found if found.right > attempt.right else None


def _merged(made: Sequence[Edit]) -> list[Edit]:
    """Return some edits, of which one that changes what the one before made is told as one with it."""
    found: list[Edit] = []
    for one in made:
        if found and found[-1].becomes == one.was and one.becomes:
            found[-1] = replace(found[-1], becomes=one.becomes, done="")
        else:
            found.append(one)
    return found


def _diagnosis(attempt: Attempt, sheets: Sequence[Sheet]) -> Diagnosis:
    """Say the first of the changes, which is the first on the way of the data, in three rungs; the last one says all of them."""
    ordered = sorted(attempt.changes, key=lambda one: one.definition.line + one.edit.line)
    first, cured = ordered[0], attempt.wrong is None
    edit, line = first.edit, first.definition.line + first.edit.line - 1
    spot = Spot(first.definition.file, line, edit.first, edit.last, first.definition.text.splitlines()[edit.line - 1])
    where = f"Look at line {line}: `{edit.was}`."
    said = ", and ".join(map(how, _merged([one.edit for one in ordered])))
    if cured:
        result = (
            "the case is right: it was tried."
            if len(sheets) == 1
            else f"all {len(sheets)} cases are right: it was tried."
        )
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
    )

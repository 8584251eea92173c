"""The search for a cure: edits are tried until one makes every case right, single ones in every other turn."""

import itertools
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from autograder.causes.attempts import RELATED, RIGHT, Attempt, Change, Definition, attempted, how_far, is_right
from autograder.course.answer import TensorValue
from autograder.course.trace import Numbers, Trace
from autograder.marking.case_checks import Sheet
from autograder.marking.recognition import tells
from autograder.sitting.trials import Trial, Trials
from autograder.slips.edits import edits
from autograder.slips.vocabulary import REMOVALS

BATCH = 32
"""Edits that are tried together, so that neither side waits for the other."""

MOST_EDITS = 2
"""As many small edits together still say something; of three, some are right by accident."""

MOST_LEFT_OUT = 600
"""Of so many edits those are looked at that only leave something out."""

MOST_GUIDED, GUIDED = 80, 0.4
"""Of so many edits, or for so many seconds, it is seen what they make on the way, which takes longer than the answer alone."""

ENOUGH = 2
"""So many different numbers are hardly right by accident."""

MOST_BRANCHES = 6
"""From so many edits of a turn that take the first wrong case further the search goes on."""

ALONE = 8
"""Turns of single edits before a cure by several is told: what one edit mends is not told as two."""

BATCHES, AHEAD = 5, 4.0
"""Batches a turn; turns that a branch is ahead of one whose first wrong case comes a stage less far."""


class Branch:
    """The search on from one attempt, some edits a turn. rank: the smallest has the next turn; it grows with each."""

    def __init__(self, attempt: Attempt, rank: float, search: "Search") -> None:
        self.attempt, self.rank, self.turns, self.is_over = attempt, rank, 0, False
        self._sheets, self._trials = search.sheets, search.trials
        self._all, self._candidates = search.candidates, search.candidates(attempt)

    def turn(self) -> Iterator[Attempt]:
        """Try some edits more on the first wrong case; yield what takes it further than it came."""
        wrong = self.attempt.wrong
        assert wrong
        self.rank, self.turns = self.rank + 1, self.turns + 1
        for _ in range(BATCHES):
            batch = list(itertools.islice(self._candidates, BATCH))
            tried = self._trials.run([one.text for one in batch], (wrong.paper,))
            self.is_over = len(tried) < BATCH
            for one, trial in zip(batch, tried, strict=False):
                progress = how_far(wrong, trial.answers.get(wrong.paper.path))
                if progress == RIGHT and (found := _on_all_cases(self._sheets, one, self._trials)):
                    yield found
                elif self.attempt.progress < progress < RIGHT:
                    yield replace(one, progress=progress)
            if self.is_over:
                return

    def removals(self) -> Iterator[Attempt]:
        """Yield the likeliest edits that only leave something out."""
        likeliest = itertools.islice(self._all(self.attempt), MOST_LEFT_OUT)
        return (one for one in likeliest if one.changes[-1].edit.slip in REMOVALS)

    def simplest(self, found: Attempt) -> Attempt:
        """Return an attempt that only leaves something out and makes as much right; what undoes that in another way is an accident."""
        if found.changes[-1].edit.slip in REMOVALS:
            return found
        wrong = self.attempt.wrong
        assert wrong
        shorter = list(self.removals())
        tried = self._trials.run([one.text for one in shorter], (wrong.paper,))
        right = (
            _on_all_cases(self._sheets, one, self._trials)
            for one, trial in zip(shorter, tried, strict=False)
            if is_right(wrong, trial.answers.get(wrong.paper.path))
        )
        return next((one for one in right if one and one.right >= found.right), found)


class Search:
    """The search for a cure: single edits in every other turn, else what is furthest.

    sheets: all cases. reached: the definitions that are edited. near: lines that are looked at first.
    """

    def __init__(
        self,
        begin: Attempt,
        sheets: Sequence[Sheet],
        reached: Sequence[Definition],
        near: Collection[int],
        trials: Trials,
    ) -> None:
        assert begin.wrong
        self.sheets, self.trials = sheets, trials
        self._reached = sorted(reached, key=lambda one: not _lines_near(one, near))
        self._near, self._uses = near, frozenset(made.name for made in begin.wrong.key.way)
        self._begin, self._first = begin, Branch(begin, 0.0, self)
        self._branches: list[Branch] = []
        self._unguided = (Branch(one, 0.0, self) for one in self._first.removals())
        self._several: Attempt | None = None
        self._partial: Attempt | None = None

    def candidates(self, attempt: Attempt) -> Iterator[Attempt]:
        """Yield an attempt with one edit more, the likeliest first; what the reference uses may be put in."""
        for one in self._reached:
            text = attempt.texts.get(one.name, one.text)
            for edit in edits(text, self._uses, _lines_near(one, self._near)):
                if self.trials.is_over:
                    return
                changes = (*attempt.changes, Change(one, edit))
                yield replace(attempt, changes=changes, texts={**attempt.texts, one.name: edit.text})

    def run(self) -> Attempt | None:
        """Return a cure by one edit, else one by several, else an attempt that makes most of the wrong cases right."""
        for turn in itertools.count():
            branch = self._next(turn)
            if branch is None or self.trials.is_over:
                break
            if cure := self._turn(branch):
                return cure
        return self._several or self._partial

    def _next(self, turn: int) -> Branch | None:
        """Return the branch whose turn it is: single edits have every other one, and all while a cure by several waits for them."""
        if self._several and self._was_alone:
            return None
        if not self._first.is_over and (self._several or turn % 2 == 0):
            return self._first
        furthest = min(self._branches, key=lambda one: one.rank, default=None) or next(self._unguided, None)
        return furthest or (None if self._first.is_over else self._first)

    @property
    def _was_alone(self) -> bool:
        """Whether single edits were tried for long enough."""
        return self._first.is_over or self._first.turns >= ALONE

    def _turn(self, branch: Branch) -> Attempt | None:
        """Let a branch have a turn; return a cure by one edit if it finds one."""
        further = []
        for found in branch.turn():
            if found.wrong is None and not _is_rewritten(found.changes):
                cure = branch.simplest(found)
                if len(cure.changes) == 1:
                    return cure
                self._several = self._several or cure
            elif found.wrong is not None:
                further.append(found)
        if not self._partial and (telling := next(filter(self._is_telling, further), None)):
            self._partial = branch.simplest(telling)
            if self._partial.wrong is None and len(self._partial.changes) == 1:
                return self._partial
        if branch is self._first and branch.turns == 1:
            further += self._guided()
        self._go_on_from(further)
        return None

    def _is_telling(self, found: Attempt) -> bool:
        """Return whether at least half of the wrong cases have become right, in numbers that are hardly so by an accident."""
        gained = [sheet.key.expected for sheet in self.sheets if sheet.paper.path in found.right - self._begin.right]
        arrays = [one.array for answer in gained for one in answer.outputs.values() if isinstance(one, TensorValue)]
        floats = [array for array in arrays if array is not None and array.dtype.kind == "f"]
        numbers = {float(number) for array in floats for number in array.ravel()}
        return 2 * len(gained) >= len(self.sheets) - len(self._begin.right) and len(numbers) >= ENOUGH

    def _go_on_from(self, further: list[Attempt]) -> None:
        further.sort(key=lambda one: (-_reach(one, self._begin), one.changes[-1].edit.slip not in REMOVALS))
        ahead = [AHEAD * (_reach(one, self._begin) - self._begin.progress) for one in further]
        self._branches += [
            Branch(one, place / MOST_BRANCHES - ahead[place], self)
            for place, one in enumerate(further[:MOST_BRANCHES])
            if len(one.changes) < MOST_EDITS
        ]
        self._branches = [one for one in self._branches if not one.is_over]

    def _guided(self) -> Iterator[Attempt]:
        """Yield edits after which more of what the reference makes on its way is made, though the answer comes no further."""
        begin = self._begin
        assert begin.wrong
        likeliest = itertools.islice(self.candidates(begin), MOST_GUIDED)
        known = [numbers for made in begin.wrong.key.way for numbers in made.numbers[:1] if tells(numbers)]
        before = _on_the_way(known, begin.wrong, self._reached[0].text, self.trials)
        end = time.monotonic() + GUIDED
        for one in itertools.takewhile(lambda _: time.monotonic() < end, likeliest):
            found = _on_the_way(known, begin.wrong, one.text, self.trials)
            if found > before:
                yield replace(one, progress=begin.progress + found / (len(known) + 1) * RELATED)


def _is_rewritten(changes: Sequence[Change]) -> bool:
    """Return whether an edit changes what the one before put in: with two of these an expression may become anything."""
    for before, one in itertools.pairwise(changes):
        end = before.edit.first + max(len(before.edit.becomes), before.edit.last - before.edit.first)
        same_line = (one.definition, one.edit.line) == (before.definition, before.edit.line)
        apart = one.edit.first >= end or one.edit.last <= before.edit.first
        if same_line and not apart and not {one.edit.slip, before.edit.slip} & REMOVALS:
            return True
    return False


def _reach(found: Attempt, begin: Attempt) -> float:
    """Return how far an attempt takes the case that was the first wrong one at the beginning."""
    return RIGHT if found.right > begin.right else found.progress


def _on_the_way(known: Sequence[Numbers], wrong: Sheet, text: str, trials: Trials) -> int:
    """Return how much of what is known is made on the first wrong case."""
    (trial,) = trials.run([text], (wrong.paper,), traced=True) or [Trial()]
    trace = trial.traces.get(wrong.paper.path, Trace())
    made = [numbers for operation in trace.operations for numbers in operation.made.numbers]
    return sum(any(one.are(other, in_order=True) for other in made) for one in known)


def _lines_near(one: Definition, near: Collection[int]) -> list[int]:
    """Return those of some lines that are a definition's, counted in its text."""
    return [line - one.line + 1 for line in near if 0 <= line - one.line < one.text.count("\n") + 1]


def _on_all_cases(sheets: Sequence[Sheet], attempt: Attempt, trials: Trials) -> Attempt | None:
    """Return what comes of an attempt that makes one case more right; nothing if it makes another one wrong."""
    (trial,) = trials.run([attempt.text], tuple(sheet.paper for sheet in sheets)) or [Trial()]
    found = attempted(attempt.changes, attempt.texts, sheets, trial.answers)
    return found if found.right > attempt.right else None

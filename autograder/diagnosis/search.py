"""The search for a cure: edits are tried until one makes every case right, single ones now and then."""

import functools
import itertools
import re
import statistics
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from autograder.course.answer import Answer, TensorValue
from autograder.course.trace import Numbers, Trace, numbers_in
from autograder.diagnosis.attempts import (
    OUTPUTS,
    RAISED,
    RIGHT,
    SHAPES,
    Attempt,
    Change,
    Definition,
    attempted,
    error_of,
    how_far,
    is_right,
    lines_naming,
    lines_of,
)
from autograder.diagnosis.operators.edits import Edit, edits
from autograder.diagnosis.operators.vocabulary import REMOVALS
from autograder.diagnosis.reference_trace import Way, way_to_answer
from autograder.grading.checks import Sheet
from autograder.grading.recognition import tells
from autograder.runner.candidate_runs import Trial, Trials

BATCH = 32
"""Edits that are tried together, so that neither side waits for the other."""

MOST_EDITS = 2
"""As many small edits together still say something; of three, some are right by accident."""

MOST_LEFT_OUT = 600
"""Of so many edits those are looked at that only leave something out."""

MOST_GUIDED, GUIDED, TRACED = 160, 0.4, 8
"""Of so many edits, or for so many seconds, it is seen what they make on the way, which takes longer than the answer alone; so many
are traced together."""

NO_EDIT = Edit("", 1, 0, 0, "", "", "", "")

MOST_FOLLOWED, FOLLOWED = 32, 0.15
"""Of so many edits of a turn that take the first wrong case further, or for so many seconds, it is seen what they make on the way."""

ENOUGH = 6
"""So many different numbers are hardly right by accident."""

MOST_BRANCHES = 12
"""From so many edits of a turn that take the first wrong case further the search goes on."""

LACKS = re.compile(r"TypeError: .*(missing|invalid combination of arguments|takes|at least)")
LACKING = frozenset(("missing_argument", "fewer_arguments", "known_argument", "needless_argument"))
"""What is said of a call that lacks arguments, or has too many, and the kinds of slips that then come first in the lines that raised."""

UNSEEN = frozenset(("gradient_stop", "context", "in_place", "changed_input", "alias"))
"""Kinds that come first where the numbers are right: gradients or inputs are not."""

ALONE = 5
"""Turns of single edits before a cure by several is told: what one edit mends is not told as two."""

MOST_CURES = 8
"""Of so many edits of a batch that make every case right it is seen whether they are accidents."""

QUICK, SLOW = 0.04, 3
"""Where all cases together take more seconds than this, one that takes so many times as long as most is left for last."""

BATCHES, BATCHES_OF_BRANCH = 5, 2
"""Batches a turn, of single edits and of edits after another one."""

ROUND = 3
"""Of so many turns, one is for single edits."""

CASE_AHEAD, MADE_AHEAD, STAGE_AHEAD = 16.0, 12.0, 2.0
"""Turns that a branch is ahead: of one that makes no case more right, nothing more of what the reference makes, or comes a stage less far."""


class Branch:
    """The search on from one attempt, some edits a turn. rank: the smallest has the next turn; it grows with each."""

    def __init__(self, attempt: Attempt, rank: float, search: "Search", near: Collection[int]) -> None:
        self.attempt, self.rank, self.turns, self.is_over = attempt, rank, 0, False
        self._trials, self._on_all_cases = search.trials, search.on_all_cases
        self._all, self._near, self._candidates = search.candidates, near, search.candidates(attempt, near)

    def turn(self) -> Iterator[list[Attempt]]:
        """Try some edits more on the first wrong case; yield, batch by batch, what takes it further than it came."""
        wrong = self.attempt.wrong
        assert wrong
        self.rank, self.turns = self.rank + 1, self.turns + 1
        # Gradients take as long as the answer, and matter only once the numbers are right.
        paper = wrong.paper if self.attempt.progress >= OUTPUTS else replace(wrong.paper, gradients=False)
        for _ in range(BATCHES_OF_BRANCH if self.attempt.changes or self.turns > ALONE else BATCHES):
            batch = list(itertools.islice(self._candidates, BATCH))
            tried = self._trials.run([one.text for one in batch], (paper,))
            self.is_over = len(tried) < BATCH
            seen = [_as_far_as(one, wrong, trial) for one, trial in zip(batch, tried, strict=False)]
            yield self._on_all_cases([one for one in seen if one.progress >= OUTPUTS]) + [
                one for one in seen if one.progress < RIGHT and one.is_further_than(self.attempt)
            ]
            if self.is_over:
                return

    def removals(self) -> Iterator[Attempt]:
        """Yield the likeliest edits that only leave something out."""
        likeliest = itertools.islice(self._all(self.attempt, self._near), MOST_LEFT_OUT)
        return (one for one in likeliest if one.changes[-1].edit.slip in REMOVALS)

    def simplest(self, found: Attempt) -> Attempt:
        """Return an attempt that only leaves something out and makes as much right; what undoes that in another way is an accident."""
        if found.changes[-1].edit.slip in REMOVALS:
            return found
        wrong = self.attempt.wrong
        assert wrong
        shorter = list(self.removals())
        tried = self._trials.run([one.text for one in shorter], (wrong.paper,))
        pairs = zip(shorter, tried, strict=False)
        right = [one for one, trial in pairs if is_right(wrong, trial.answers.get(wrong.paper.path))]
        return next((one for one in self._on_all_cases(right) if one.right >= found.right), found)


class Search:
    """The search for a cure: single edits in one turn of a few, else what is furthest.

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
        self._reached, self._near = reached, near
        self._uses = frozenset(made.name for made in begin.wrong.key.way)
        self._begin, self._first = begin, Branch(begin, 0.0, self, near)
        on_way = [numbers for made in begin.wrong.key.way for numbers in made.numbers[:1] if tells(numbers)]
        self._known = [numbers for numbers in on_way if not any(numbers.are(one, True) for one in _ends(begin.wrong))]
        self._branches: list[Branch] = []
        self._unguided = (Branch(one, 0.0, self, near) for one in self._first.removals())
        self._several: Attempt | None = None
        self._partial: Attempt | None = None

    def candidates(self, attempt: Attempt, near: Collection[int]) -> Iterator[Attempt]:
        """Yield an attempt with one edit more, the likeliest first; what the reference uses may be put in. near: as the search takes it."""
        kinds = UNSEEN if attempt.progress == OUTPUTS else LACKING if LACKS.match(attempt.error) else ()
        for one in sorted(self._reached, key=lambda one: not _lines_near(one, near)):
            text = attempt.texts.get(one.name, one.text)
            for edit in edits(text, self._uses, _lines_near(one, near), first=kinds):
                if self.trials.is_over:
                    return
                changes = (*attempt.changes, Change(one, edit))
                yield replace(attempt, changes=changes, texts={**attempt.texts, one.name: edit.text})

    def on_all_cases(self, attempts: Sequence[Attempt]) -> list[Attempt]:
        """Return what comes of attempts that make a case more right; without those that make another one wrong.

        Cases that take long run only once all others are right; until then they count as they did before.
        """
        if not attempts:
            return []
        slow = [sheet for sheet in self.sheets if sheet.paper.path in self._slow]
        quick = [sheet for sheet in self.sheets if sheet.paper.path not in self._slow]
        found = []
        for one, answers in zip(attempts, self._answers(attempts, quick), strict=False):
            tried = attempted(one.changes, one.texts, quick, answers)
            if tried.wrong is None and slow:
                more = next(iter(self._answers([one], slow)), {})
                tried = attempted(one.changes, one.texts, self.sheets, {**answers, **more})
            else:
                tried = replace(tried, right=tried.right | (one.right & self._slow))
            if tried.right > one.right:
                found.append(tried)
        return found

    def _answers(self, attempts: Sequence[Attempt], sheets: Sequence[Sheet]) -> Iterator[Mapping[str, Answer]]:
        tried = self.trials.run([one.text for one in attempts], tuple(sheet.paper for sheet in sheets))
        return (trial.answers for trial in tried)

    @functools.cached_property
    def _slow(self) -> frozenset[str]:
        """The cases that take much longer than most, by path."""

        def seconds_for(sheets: Sequence[Sheet]) -> float:
            begun = time.monotonic()
            self.trials.run([self._reached[0].text], tuple(sheet.paper for sheet in sheets))
            return time.monotonic() - begun

        if seconds_for(self.sheets) < QUICK:
            return frozenset()
        took = {sheet.paper.path: seconds_for([sheet]) for sheet in self.sheets}
        limit = SLOW * statistics.median(took.values())
        return frozenset(path for path, seconds in took.items() if seconds > limit)

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
        """Return the branch whose turn it is: single edits have one of a few, and all while a cure by several waits for them."""
        if self._several and self._was_alone:
            return None
        if not self._first.is_over and (self._several or turn % ROUND == 0):
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
        for batch in branch.turn():
            cures = [found for found in batch if found.wrong is None and not _is_rewritten(found.changes)]
            cures = [found for found in cures[:MOST_CURES] if not self._is_accident(found, branch)]
            if cures:
                cure = branch.simplest(self._likeliest(cures))
                if len(cure.changes) == 1:
                    return cure
                self._several = self._several or cure
            further += [found for found in batch if found.wrong is not None]
        telling = None if self._partial else next(filter(self._is_telling, further), None)
        if telling and not self._is_accident(telling, branch):
            self._partial = self._counted(branch.simplest(telling))
            if self._partial.wrong is None and len(self._partial.changes) == 1:
                return self._partial
        if branch is self._first and branch.turns == 1 and self._begin.progress > RAISED:
            further += self._guided()
        self._go_on_from(further)
        return None

    def _counted(self, found: Attempt) -> Attempt:
        """Return an attempt of which it is known for all cases whether they are right."""
        answers = next(iter(self._answers([found], self.sheets)), None)
        return found if answers is None else attempted(found.changes, found.texts, self.sheets, answers)

    def _likeliest(self, cures: Sequence[Attempt]) -> Attempt:
        """Return of several cures the first; of those that do the same at another place the last: what is copied is changed too little."""
        first = cures[0].changes[-1].edit
        same = [
            one
            for one in cures
            if (one.changes[-1].edit.was, one.changes[-1].edit.becomes) == (first.was, first.becomes)
        ]
        return same[-1]

    def _is_accident(self, found: Attempt, branch: Branch) -> bool:
        """Return whether the last edit undoes elsewhere what is wrong at another place: with it less of what the reference makes is made, or NaN."""
        wrong = branch.attempt.wrong
        if wrong is None or wrong is not self._begin.wrong:
            return False
        trial = next(iter(self.trials.run([found.text], (wrong.paper,), traced=True)), Trial())
        trace = trial.traces.get(wrong.paper.path, Trace())
        before = branch.attempt.made if branch.attempt.changes else self._made_at_first
        return bool(trace.operations) and (self._made_in(trace) < before or self._has_nan(trace))

    def _made_in(self, trace: Trace) -> int:
        """Return how much of what the reference makes on its way is made."""
        return sum(any(known.are(other, in_order=True) for other in _numbers_in(trace)) for known in self._known)

    def _has_nan(self, trace: Trace) -> bool:
        """Return whether what is no number comes up on the way, as it never does on the reference's."""
        return any(np.isnan(numbers.flat).any() for numbers in _numbers_in(trace)) and not any(
            np.isnan(numbers.flat).any() for numbers in self._known
        )

    def _is_telling(self, found: Attempt) -> bool:
        """Return whether at least half of the wrong cases have become right, in numbers that are hardly so by an accident."""
        gained = [sheet.key.expected for sheet in self.sheets if sheet.paper.path in found.right - self._begin.right]
        arrays = [one.array for answer in gained for one in answer.outputs.values() if isinstance(one, TensorValue)]
        floats = [array for array in arrays if array is not None and array.dtype.kind == "f"]
        numbers = {float(number) for array in floats for number in array.ravel()}
        return 2 * len(gained) >= len(self.sheets) - len(self._begin.right) and len(numbers) >= ENOUGH

    def _go_on_from(self, further: Sequence[Attempt]) -> None:
        """Open branches at the attempts that come furthest, with what each makes on its way."""
        followed = [one for one in further if len(one.changes) < MOST_EDITS][:MOST_FOLLOWED]
        seen = list(self._seen(followed, FOLLOWED))
        ahead = [self._ahead(one) for one, _ in seen]
        best = sorted(range(len(seen)), key=lambda place: (-ahead[place], not _leaves_out(seen[place][0])))
        self._branches += [
            Branch(seen[place][0], order / MOST_BRANCHES - ahead[place], self, seen[place][1])
            for order, place in enumerate(best[:MOST_BRANCHES])
        ]
        self._branches = [one for one in self._branches if not one.is_over]

    def _ahead(self, found: Attempt) -> float:
        """Return by how many turns an attempt is ahead of the beginning."""
        more = found.made - self._made_at_first
        case = CASE_AHEAD if found.right > self._begin.right else 0
        stages = max(found.progress - max(self._begin.progress, SHAPES), 0)
        return case + MADE_AHEAD * more / (len(self._known) + 1) + STAGE_AHEAD * stages

    @functools.cached_property
    def _made_at_first(self) -> int:
        """How much of what the reference makes is made without any edit."""
        unchanged = Change(self._reached[0], NO_EDIT)
        texts = {unchanged.definition.name: unchanged.definition.text}
        seen = self._seen([replace(self._begin, changes=(unchanged,), texts=texts)], GUIDED)
        return next((one.made for one, _ in seen), 0)

    def _seen(self, attempts: Iterable[Attempt], seconds: float) -> Iterator[tuple[Attempt, Collection[int]]]:
        """Yield attempts with how much they make of what the reference makes, and the lines of each that are looked at first."""
        end = time.monotonic() + seconds
        for wrong, same_case in itertools.groupby(attempts, lambda one: one.wrong):
            assert wrong
            while time.monotonic() < end and (some := list(itertools.islice(same_case, TRACED))):
                trials = self.trials.run([one.text for one in some], (wrong.paper,), traced=True)
                for one, trial in zip(some, trials, strict=False):
                    if time.monotonic() > end:
                        return
                    yield self._seen_in(one, trial)

    def _seen_in(self, one: Attempt, trial: Trial) -> tuple[Attempt, Collection[int]]:
        wrong = one.wrong
        assert wrong
        trace = trial.traces.get(wrong.paper.path, Trace())
        answer = trial.answers.get(wrong.paper.path, Answer())
        file = one.changes[-1].definition.file
        others = {step.name for step in wrong.syllabus.part(wrong.paper.part).steps} - {wrong.paper.step}
        way = way_to_answer(wrong.paper, wrong.key, trace, answer, {file: one.text}, others)
        return replace(one, made=self._made_in(trace)), suspects(way, wrong, answer, file, one.text) or self._near

    def _guided(self) -> Iterator[Attempt]:
        """Yield edits after which more of what the reference makes on its way is made, though the answer comes no further."""
        likeliest = itertools.islice(self.candidates(self._begin, self._near), MOST_GUIDED)
        return (one for one, _ in self._seen(likeliest, GUIDED) if one.made > self._made_at_first)


def suspects(way: Way | None, wrong: Sheet, answer: Answer, file: str, text: str) -> tuple[int, ...]:
    """Return the lines of a file in which the mistake may be: where the answer departs, else what is called as a wrong output, and where it raised."""
    departs = (way and way.lines(file)) or lines_naming(wrong, answer, text)
    return (*departs, *lines_of(answer, file))


def _as_far_as(one: Attempt, wrong: Sheet, trial: Trial) -> Attempt:
    """Return an attempt with how far the first wrong case comes with it."""
    answer = trial.answers.get(wrong.paper.path)
    return replace(one, progress=how_far(wrong, answer), lines=lines_of(answer), error=error_of(answer))


def _ends(sheet: Sheet) -> Iterator[Numbers]:
    """Yield the numbers of the right answer."""
    for one in sheet.key.expected.outputs.values():
        if isinstance(one, TensorValue) and one.array is not None:
            yield Numbers(numbers_in([one.array]))


def _leaves_out(one: Attempt) -> bool:
    return one.changes[-1].edit.slip in REMOVALS


def _numbers_in(trace: Trace) -> Iterator[Numbers]:
    return (numbers for operation in trace.operations for numbers in operation.made.numbers)


def _is_rewritten(changes: Sequence[Change]) -> bool:
    """Return whether an edit changes what the one before put in: with two of these an expression may become anything."""
    for before, one in itertools.pairwise(changes):
        end = before.edit.first + max(len(before.edit.becomes), before.edit.last - before.edit.first)
        same_line = (one.definition, one.edit.line) == (before.definition, before.edit.line)
        apart = one.edit.first >= end or one.edit.last <= before.edit.first
        if same_line and not apart and not {one.edit.slip, before.edit.slip} & REMOVALS:
            return True
    return False


def _lines_near(one: Definition, near: Collection[int]) -> list[int]:
    """Return those of some lines that are a definition's, counted in its text."""
    return [line - one.line + 1 for line in near if 0 <= line - one.line < one.text.count("\n") + 1]

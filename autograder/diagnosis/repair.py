"""Diagnosis by repair: run edits of the submission until one edit makes all cases right.

No repair is reported if the same edit also fits at another location.
"""

import functools
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from autograder.course.answer import Answer, TensorValue, same_answer, same_outputs
from autograder.course.trace import Trace
from autograder.diagnosis.operators.edits import OPERATORS, Edit, edits
from autograder.diagnosis.operators.source import Operator
from autograder.diagnosis.places import span_spot
from autograder.exam.model import PaperCase
from autograder.grading.checks import Sheet
from autograder.grading.compare import numbers_of, tells
from autograder.grading.results import Diagnosis
from autograder.runner.run import Trial, Trials
from autograder.submission.model import Source
from autograder.submission.parsed import Definitions

BATCH = 32
"""The number of edits that are sent to the child process at once, so that it need not wait."""


class Definition(NamedTuple):
    """A top-level definition. file: the path in tracebacks. line: the number of its first line."""

    name: str
    file: str
    line: int
    text: str


class Repair(NamedTuple):
    """An edit of one definition, tried as a repair."""

    definition: Definition
    edit: Edit


def by_repair(
    sheets: Sequence[Sheet], source: Source, definitions: Definitions, trials: Trials, near: Collection[int] = ()
) -> Diagnosis | None:
    """Return a diagnosis of the first edit that makes all cases right. near: lines to try first."""
    wrong = next(one for one in sheets if not is_right(one, one.answer))
    found = _Search(wrong, sheets, reached(source, definitions, wrong), near, trials).run()
    return _diagnosis(found, len(sheets)) if found else None


def is_right(sheet: Sheet, answer: Answer | None) -> bool:
    """Return whether the answer to a case is right, gradients included."""
    return answer is not None and same_answer(answer, sheet.key.expected, sheet.key.tolerance)


def has_right_outputs(sheet: Sheet, answer: Answer | None) -> bool:
    """Return whether the outputs of an answer are right. Gradients are not compared."""
    return answer is not None and same_outputs(answer, sheet.key.expected, sheet.key.tolerance)


class _Search:
    """The search for a repair. reached: the definitions to edit. near: the lines to edit first."""

    def __init__(
        self, wrong: Sheet, sheets: Sequence[Sheet], reached: list[Definition], near: Collection[int], trials: Trials
    ) -> None:
        self._wrong, self._sheets, self._near, self._trials = wrong, sheets, near, trials
        self._reached = sorted(reached, key=lambda one: not _lines_near(one, near))
        outputs = (one.array for one in wrong.key.expected.outputs.values() if isinstance(one, TensorValue))
        ends = [numbers_of(one) for one in outputs if one is not None]
        on_way = [numbers for made in wrong.key.way for numbers in made.numbers[:1] if tells(numbers)]
        self._known = [numbers for numbers in on_way if not any(numbers.are(one, True) for one in ends)]

    def run(self) -> Repair | None:
        """Return the repair; None if no edit makes all cases right, or if the repair is ambiguous."""
        candidates = self._candidates()
        while batch := list(itertools.islice(candidates, BATCH)):
            for found in self._repairs(batch):
                if not self._is_accident(found):
                    shown = self._simplest(found)
                    return None if self._is_ambiguous(shown) else shown
        return None

    def _candidates(self, operators: Sequence[Operator] = OPERATORS) -> Iterator[Repair]:
        for one in self._reached:
            for edit in edits(one.text, _lines_near(one, self._near), operators):
                yield Repair(one, edit)

    @functools.cached_property
    def _has_numbers(self) -> bool:
        return has_right_outputs(self._wrong, self._wrong.answer)

    def _repairs(self, candidates: Sequence[Repair]) -> list[Repair]:
        """Return the edits that make all cases right. An edit that fails `_wrong` runs no other case."""
        wrong = self._wrong
        paper = wrong.paper if self._has_numbers else replace(wrong.paper, gradients=False)
        passes = is_right if self._has_numbers else has_right_outputs
        near = [one for one, trial in self._tried(candidates, (paper,)) if passes(wrong, trial.answers.get(paper.path))]
        return [
            one
            for one, trial in self._tried(near, tuple(sheet.paper for sheet in self._sheets))
            if all(is_right(sheet, trial.answers.get(sheet.paper.path)) for sheet in self._sheets)
        ]

    def _tried(self, candidates: Sequence[Repair], cases: tuple[PaperCase, ...]) -> list[tuple[Repair, Trial]]:
        return list(zip(candidates, self._trials.run([one.edit.text for one in candidates], cases), strict=False))

    def _simplest(self, found: Repair) -> Repair:
        """Return a repair that only removes code, else `found`. Added code may hide the mistake."""
        removing = [one for one in OPERATORS if one.removes]
        if any(one.id == found.edit.operator for one in removing):
            return found
        return next(iter(self._repairs(list(self._candidates(removing)))), found)

    def _is_ambiguous(self, found: Repair) -> bool:
        """Return whether the same edit fits again on its line, or also repairs another line."""
        edit, text = found.edit, found.definition.text
        same_kind = edits(text, operators=[one for one in OPERATORS if one.id == edit.operator])
        alike = [Repair(found.definition, one) for one in same_kind if one.how == edit.how and one.text != edit.text]
        return any(one.edit.span[0] == edit.span[0] for one in alike) or bool(self._repairs(alike))

    def _is_accident(self, found: Repair) -> bool:
        """Return whether an edit only hides the mistake: edited code makes fewer of the reference's tensors."""
        trace = self._trace(found.edit.text)
        return bool(trace.operations) and self._made_in(trace) < self._made_at_first

    def _trace(self, text: str) -> Trace:
        path = self._wrong.paper.path
        trial = next(iter(self._trials.run([text], (self._wrong.paper,), traced=True)), Trial())
        return trial.traces.get(path, Trace())

    @functools.cached_property
    def _made_at_first(self) -> int:
        return self._made_in(self._trace(self._reached[0].text))

    def _made_in(self, trace: Trace) -> int:
        made = [numbers for operation in trace.operations for numbers in operation.made.numbers]
        return sum(any(known.are(other, in_order=True) for other in made) for known in self._known)


def _lines_near(one: Definition, near: Collection[int]) -> list[int]:
    return [line - one.line + 1 for line in near if 0 <= line - one.line < one.text.count("\n") + 1]


def _diagnosis(found: Repair, cases: int) -> Diagnosis:
    definition, edit = found.definition, found.edit
    spot = span_spot(definition.file, edit.span, definition.text)
    spot = replace(spot, line=spot.line + definition.line - 1)
    where, what, how = f"Look at line {spot.line}: `{edit.was}`.", edit.what, edit.how
    tested = "the case passes" if cases == 1 else f"all {cases} cases pass"
    done = f"{how[:1].upper()}{how[1:]}. (Tested: {tested}.)"
    what = f"{what[:1].upper()}{what[1:]}."
    return Diagnosis("cure", edit.operator, where, where=where, what=what, how=done, spot=spot)


def reached(source: Source, definitions: Definitions, sheet: Sheet) -> list[Definition]:
    """Return the definition of a step, then the helpers in its module that the step uses."""
    part, step = sheet.paper.part, sheet.paper.step
    steps = {other.name for other in sheet.syllabus.part(part).steps}
    names = {name for module, name in definitions.called_by(part, step) if module == part and name not in steps}
    found: dict[str, Definition] = {}
    for block in source.blocks:
        lines = block.text.splitlines(keepends=True)
        for name, node in block.parsed.definitions:
            if name == step or name in names:
                first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
                text = "".join(lines[first - 1 : node.end_lineno])
                found[name] = Definition(name, block.path, first, text)
    return sorted(found.values(), key=lambda one: one.name != step)

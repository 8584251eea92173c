"""Finding the causes of wrong steps, once they are marked: the submission runs again, with edits or with other inputs.

The verdicts and the points stay as they are.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from autograder.course.answer import Answer
from autograder.diagnosis.absent import by_absence
from autograder.diagnosis.attempts import lines_of
from autograder.diagnosis.dependency_map import by_influence
from autograder.diagnosis.divergence import with_operands
from autograder.diagnosis.effort import FULL
from autograder.diagnosis.idle import by_idleness
from autograder.diagnosis.reference_trace import run_traced, way_to_answer
from autograder.diagnosis.repair import by_cure
from autograder.diagnosis.search import suspects
from autograder.diagnosis.should_search import is_searched
from autograder.diagnosis.unused import by_unused_argument
from autograder.exam.agreement import same_answer, same_outputs
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.grading.callees import UNDEFINED
from autograder.grading.checks import Sheet
from autograder.grading.grade import clean_diagnosis
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks
from autograder.runner.candidate_runs import Trials
from autograder.runner.limits import SEARCH, Budget
from autograder.runner.processes import CannotSit, Runner
from autograder.runner.run import Interrupted, Interruption, TimeLimit, sit
from autograder.runner.timeouts import TIMEOUT
from autograder.submission.definitions import Definitions
from autograder.submission.model import Submission

CURE = 0.85
"""The share of the time after which no further edit is tried, so that something is left to try other inputs."""

OnCause = Callable[[str, StepMarks], None]
"""Called with a part and the marks of a step of it before its cause is searched for."""


def find_causes(
    marks: Marks,
    exam: Exam,
    submission: Submission,
    runner: Runner,
    seconds: float = FULL,
    timeout: float = TIMEOUT,
    interruption: Interruption | None = None,
    on_cause: OnCause | None = None,
    known: Mapping[str, Answer] = MappingProxyType({}),
) -> Marks:
    """Return the marks with a cause for each wrong step that has none but a slip of the reference or a relation, as far as one is found.

    seconds: that a step's search may take. timeout, interruption: as `sit` takes them. known: as `explain` takes it. Raises CannotSit
    and Interrupted.
    """
    search = _Search(exam, submission, runner, seconds, timeout, interruption or Interruption(), on_cause, known)
    return replace(marks, parts=tuple(search.part(part) for part in marks.parts))


class _Search:
    """The search for the causes of one submission's steps."""

    def __init__(
        self,
        exam: Exam,
        submission: Submission,
        runner: Runner,
        seconds: float,
        timeout: float,
        interruption: Interruption,
        on_cause: OnCause | None,
        known: Mapping[str, Answer],
    ) -> None:
        self._exam, self._submission, self._runner = exam, submission, runner
        self._seconds, self._timeout, self._interruption = seconds, timeout, interruption
        self._on_cause, self._known = on_cause, known
        self._definitions = Definitions(submission.modules)

    def part(self, part: PartMarks) -> PartMarks:
        """Return the marks of a part with the causes that are found."""
        return replace(part, steps=tuple(self._step(part.part, step) for step in part.steps))

    def _step(self, part: str, step: StepMarks) -> StepMarks:
        if not is_searched(step):
            return step
        if self._on_cause:
            self._on_cause(part, step)
        found = None
        with TimeLimit(self._seconds, self._interruption) as limit:
            try:
                for cause in self._causes(part, step, limit):
                    found = cause
            except Interrupted:
                pass  # the time is over, or the search is no longer wanted
            except CannotSit:
                raise
            except Exception:
                found = None  # our own error, which must not cost the student the marks
        self._interruption.check()
        return replace(step, diagnosis=clean_diagnosis(found)) if found else step

    def _causes(self, part: str, step: StepMarks, limit: Interruption) -> Iterator[Diagnosis]:
        """Yield causes of a step as they are found, each better than the one before. Raises Interrupted when the time is over."""
        deadline, budget = time.monotonic() + CURE * self._seconds, Budget(SEARCH, self._timeout)
        cases = self._exam.paper.of(part, frozenset({step.step}))
        is_known = all(case.path in self._known for case in cases)
        answers = self._known if is_known else self._answers(part, step.step, cases, limit, budget)
        sheets = [
            Sheet(self._exam.syllabus, case, self._exam.key.cases[case.path], answers[case.path])
            for case in cases
            if case.path in answers
        ]
        wrong = next((one for one in sheets if not _is_right(one)), None)
        if wrong is None:
            return
        source = self._submission.modules[part]
        if not step.diagnosis and (unused := by_unused_argument(step.step, source)):
            yield unused
        trace, answer = run_traced(
            self._exam, self._submission, wrong.paper, self._runner, self._timeout, limit, budget
        )
        if _is_right_by_now(wrong, answer):
            return
        others = {one.name for one in self._exam.syllabus.steps} - {step.step}
        known = with_operands(step.diagnosis, trace.stop, {block.path: block.text for block in source.blocks}, others)
        texts = {block.path: block.text for one in self._submission.modules.values() for block in one.blocks}
        siblings = {one.name for one in self._exam.syllabus.part(part).steps} - {step.step}
        way = way_to_answer(wrong.paper, wrong.key, trace, answer, texts, siblings, limit.check)
        place = way.place() if way else None
        if told := place.diagnosis(known) if place else known:
            yield told
        raised = next(iter(lines_of(wrong.answer, source.path)[-1:]), None)
        if absent := by_absence(step.step, source, wrong.answer, raised) or by_idleness(step.step, source):
            known = (
                replace(known, where=absent.where, what=known.what or known.says, spot=absent.spot) if known else absent
            )
            yield known
        with Trials(self._runner, self._submission, part, deadline, limit, budget) as trials:
            near = suspects(way, wrong, wrong.answer, source.path, texts.get(source.path, ""))
            cure = by_cure(sheets, source, self._definitions, trials, near)
        if cure and not _is_accident(cure, step.diagnosis):
            yield _explained(cure, step.diagnosis)
        elif not known:
            found = by_influence(wrong, lambda changed: self._answers(part, step.step, changed, limit, budget))
            if found:
                yield place.diagnosis(found) if place else found

    def _answers(
        self, part: str, step: str, cases: Sequence[PaperCase], limit: Interruption, budget: Budget
    ) -> Mapping[str, Answer]:
        paper, wanted = Paper(tuple(cases)), {part: frozenset({step})}
        found = sit(
            self._runner,
            self._submission,
            self._exam.syllabus,
            paper,
            wanted,
            self._timeout,
            interruption=limit,
            budget=budget,
        )
        return found.parts[part].answers


def _explained(cure: Diagnosis, told: Diagnosis | None) -> Diagnosis:
    """Return a cure, told in the sentence that is known already: of what its line raised, or of the answer, if it explains all of that."""
    if not told:
        return cure
    in_backward = told.kind == "exception" and not told.spot and cure.proved
    raised_there = in_backward or (told.spot and cure.spot and told.spot.line == cure.spot.line)
    explains_all = (cure.proved and not cure.more) or told.id == "changed_inputs"
    fits = raised_there if told.kind == "exception" else told.kind == "relation" and explains_all
    if not fits:
        return cure
    return replace(cure, says=told.says, what=told.says if told.kind == "exception" else cure.what)


def _is_accident(cure: Diagnosis, told: Diagnosis | None) -> bool:
    """Return whether several edits undo what one slip of another kind explains by itself, or only work round a name that there is not."""
    if told is None or not cure.more:
        return False
    return told.id == UNDEFINED or (told.kind == "slip" and told.id != cure.id)


def _is_right_by_now(wrong: Sheet, answer: Answer) -> bool:
    """Return whether outputs that were wrong are right when the code runs again: then any edit would seem to cure it."""
    expected, tolerance = wrong.key.expected, wrong.key.tolerance
    return same_outputs(answer, expected, tolerance) and not same_outputs(wrong.answer, expected, tolerance)


def _is_right(sheet: Sheet) -> bool:
    return same_answer(sheet.answer, sheet.key.expected, sheet.key.tolerance)

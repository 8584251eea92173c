"""Finding the causes of wrong steps, once they are marked: the submission runs again, with edits or with other inputs.

The verdicts and the points stay as they are.
"""

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from autograder.course.answer import Answer
from autograder.course.trace import Trace
from autograder.diagnosis import dependency_map
from autograder.diagnosis.align import Alignment, line_spot, run_traced
from autograder.diagnosis.effort import FULL
from autograder.diagnosis.repair import by_repair, has_right_outputs, is_right, suspects
from autograder.diagnosis.syntax import by_absence, by_idleness, by_unused_argument
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.grading.checks import Sheet
from autograder.grading.grade import clean_diagnosis
from autograder.grading.match_known import is_searched
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import CannotRun, Runner
from autograder.runner.run import Interrupted, Interruption, Trials, run
from autograder.submission.model import Source, Submission
from autograder.submission.parsed import Definitions

REPAIR = 0.85
"""The share of the time after which no further edit is tried, so that something is left to try other inputs."""

OnCause = Callable[[str, StepMarks], None]
"""Called with a part and the marks of a step of it before its cause is searched for."""


@dataclass(frozen=True)
class Search:
    """The terms of a search for the causes of one submission. answers: those that are known, by case."""

    exam: Exam
    submission: Submission
    runner: Runner
    seconds: float
    timeout: float
    answers: Mapping[str, Answer]

    @functools.cached_property
    def definitions(self) -> Definitions:
        """The definitions of the submission."""
        return Definitions(self.submission.modules)


class Evidence:
    """The evidence on one wrong step, each piece made when it is first asked for.

    limit: raises Interrupted when the time is over.
    """

    def __init__(self, search: Search, part: str, step: StepMarks, limit: Interruption) -> None:
        self.search, self.part, self.step, self.limit = search, part, step, limit
        self.deadline = time.monotonic() + REPAIR * search.seconds

    @functools.cached_property
    def sheets(self) -> list[Sheet]:
        """The cases that have an answer, with it."""
        exam = self.search.exam
        cases, known = exam.paper.of(self.part, frozenset({self.step.step})), self.search.answers
        answers = known if all(case.path in known for case in cases) else self.run(cases)
        return [
            Sheet(exam.syllabus, case, exam.key.cases[case.path], answers[case.path])
            for case in cases
            if case.path in answers
        ]

    @functools.cached_property
    def wrong(self) -> Sheet | None:
        """The first wrong case."""
        return next((one for one in self.sheets if not is_right(one, one.answer)), None)

    @property
    def source(self) -> Source:
        """The module of the step."""
        return self.search.submission.modules[self.part]

    @functools.cached_property
    def texts(self) -> dict[str, str]:
        """The texts of all modules, by path."""
        return {block.path: block.text for one in self.search.submission.modules.values() for block in one.blocks}

    @functools.cached_property
    def traced(self) -> tuple[Trace, Answer]:
        """The trace of the first wrong case, and its answer then."""
        assert self.wrong
        one = self.search
        return run_traced(one.exam, one.submission, self.wrong.paper, one.runner, one.timeout, self.limit)

    @functools.cached_property
    def aligned(self) -> Alignment:
        """The trace, aligned with what the reference makes."""
        assert self.wrong
        trace, answer = self.traced
        siblings = {one.name for one in self.search.exam.syllabus.part(self.part).steps} - {self.step.step}
        return Alignment(self.wrong.paper, self.wrong.key, trace, answer, self.texts, siblings, self.limit.check)

    @functools.cached_property
    def known(self) -> Diagnosis | None:
        """The cause that the step was marked with; of code that raised, with what the failed operation was given.

        Of what raised in another step the call is reported.
        """
        stop, known = self.traced[0].stop, self.step.diagnosis
        if not stop:
            return known
        others = {one.name for one in self.search.exam.syllabus.steps} - {self.step.step}
        own = [one for one in stop.lines if one[2].partition(".")[0] not in others]
        path, line, _ = (own or stop.lines)[-1]
        spot = line_spot(path, line, {block.path: block.text for block in self.source.blocks})
        if not stop.operands or (own and own[-1] != stop.lines[-1]):
            says = f"Line {line} raised: `{spot.text.strip()}`."
            return known or Diagnosis("place", "place_raised", says, says, spot=spot)
        given = " and ".join(f"{f'`{name}`' if name else 'a tensor'} of shape {shape}" for name, shape in stop.operands)
        says = f"Line {line} was given {given}."
        if known:
            return replace(known, what=known.what or says, spot=known.spot or spot)
        return Diagnosis("exception", "operands", says, where=says, spot=spot)

    @functools.cached_property
    def absent(self) -> Diagnosis | None:
        """The cause that the text shows by itself: something missing, or something in vain."""
        assert self.wrong
        step, source = self.step.step, self.source
        return by_absence(step, source, self.wrong.answer) or by_idleness(step, source)

    def is_right_by_now(self) -> bool:
        """Return whether outputs that were wrong are right when the code runs again: then any edit would seem to repair it."""
        assert self.wrong
        return has_right_outputs(self.wrong, self.traced[1]) and not has_right_outputs(self.wrong, self.wrong.answer)

    def run(self, cases: Sequence[PaperCase]) -> Mapping[str, Answer]:
        """Return the submission's answers to some cases of the step."""
        one, paper, wanted = self.search, Paper(tuple(cases)), {self.part: frozenset({self.step.step})}
        syllabus, limit = one.exam.syllabus, self.limit
        found = run(one.runner, one.submission, syllabus, paper, wanted, one.timeout, interruption=limit)
        return found.parts[self.part].answers


def _unused(evidence: Evidence) -> Diagnosis | None:
    """Return an argument that nothing uses, which shows without running anything."""
    return None if evidence.step.diagnosis else by_unused_argument(evidence.step.step, evidence.source)


def _place(evidence: Evidence) -> Diagnosis | None:
    place = evidence.aligned.place
    return place.diagnosis(evidence.known) if place else evidence.known


def _absence(evidence: Evidence) -> Diagnosis | None:
    known, absent = evidence.known, evidence.absent
    if not known or not absent:
        return absent
    return replace(known, where=absent.where, what=known.what or known.says, spot=absent.spot)


def _repair(evidence: Evidence) -> Diagnosis | None:
    one, source, wrong = evidence.search, evidence.source, evidence.wrong
    assert wrong
    near = suspects(evidence.aligned, wrong, source.path, evidence.texts.get(source.path, ""))
    limits = evidence.deadline, evidence.limit
    with Trials(one.runner, one.submission, evidence.part, *limits) as trials:
        repair = by_repair(evidence.sheets, source, one.definitions, trials, near)
    return _explained(repair, evidence.step.diagnosis) if repair else None


def _explained(repair: Diagnosis, told: Diagnosis | None) -> Diagnosis:
    """Return a repair in the sentence that is known already: of what its line raised, or of the answer."""
    if not told or told.kind not in ("exception", "relation"):
        return repair
    if told.kind == "relation":
        return replace(repair, says=told.says)
    in_backward = not told.spot
    if in_backward or (repair.spot and told.spot and told.spot.line == repair.spot.line):
        return replace(repair, says=told.says, what=told.says)
    return repair


def _influence(evidence: Evidence) -> Diagnosis | None:
    if evidence.known or evidence.absent or not evidence.wrong:
        return None
    found = dependency_map.by_influence(evidence.wrong, evidence.run)
    place = evidence.aligned.place
    return place.diagnosis(found) if place and found else found


FINDERS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (_place, _absence, _repair, _influence)
"""From evidence to a cause or nothing, the cheapest first. Each knows better than those before it; what is repaired needs no other."""


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
    """Return the marks with a cause for each wrong step that has none but a relation, as far as one is found.

    seconds: that a step's search may take. timeout, interruption: as `run` takes them. known: as `explain` takes it. Raises CannotRun
    and Interrupted.
    """
    search, interruption = Search(exam, submission, runner, seconds, timeout, known), interruption or Interruption()

    def explained(part: PartMarks, step: StepMarks) -> StepMarks:
        if not is_searched(step):
            return step
        if on_cause:
            on_cause(part.part, step)
        found = _find(search, part.part, step, interruption)
        interruption.check()
        return replace(step, diagnosis=clean_diagnosis(found)) if found else step

    return replace(
        marks,
        parts=tuple(replace(part, steps=tuple(explained(part, step) for step in part.steps)) for part in marks.parts),
    )


def _find(search: Search, part: str, step: StepMarks, interruption: Interruption) -> Diagnosis | None:
    """Return the best cause of a step that is found in time."""
    found = None
    with interruption.limited(search.seconds) as limit:
        evidence = Evidence(search, part, step, limit)
        try:
            found = _unused(evidence) if evidence.wrong else None
            if not evidence.wrong or evidence.is_right_by_now():
                return found
            for finder in FINDERS:
                found = finder(evidence) or found
                if found and found.kind == "cure":
                    break
        except Interrupted:
            pass  # the time is over, or the search is no longer wanted
        except CannotRun:
            raise
        except Exception:
            found = None  # our own error, which must not cost the student the marks
    return found


def in_words_of(sentences: Mapping[str, str], marks: Marks) -> Marks:
    """Return marks in which a repair is explained by a course's own sentences, by operator."""

    def said(step: StepMarks) -> StepMarks:
        cause = step.diagnosis
        is_said = cause and cause.kind == "cure" and cause.id in sentences
        return replace(step, diagnosis=replace(cause, what=sentences[cause.id])) if cause and is_said else step

    return replace(marks, parts=tuple(replace(part, steps=tuple(map(said, part.steps))) for part in marks.parts))

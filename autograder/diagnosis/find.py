"""Search for the causes of wrong steps after grading, by traces, edited code and changed inputs.

The search does not change verdicts and points.
"""

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from autograder.course.answer import Answer
from autograder.course.trace import Trace
from autograder.diagnosis import FULL, dependency_map
from autograder.diagnosis.align import Alignment
from autograder.diagnosis.places import line_spot, span_of, span_spot
from autograder.diagnosis.repair import by_repair, has_right_outputs, is_right
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.grading.checks import Sheet
from autograder.grading.grade import clean_diagnosis
from autograder.grading.match_known import is_searched
from autograder.grading.results import Diagnosis, Kind, Marks, PartMarks, StepMarks
from autograder.runner.answers import PartAnswers
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import CannotRun, Runner
from autograder.runner.run import Interrupted, Interruption, Trials, run
from autograder.submission.model import Source, Submission
from autograder.submission.parsed import Definitions, unused_in

OnCause = Callable[[str, StepMarks], None]
"""A function called with a part's name and a step's marks before a search for the step's cause."""


@dataclass(frozen=True)
class Evidence:
    """The data to search for the cause of one wrong step. Properties are computed on first use.

    known: the submission's answers, by case path. timeout: seconds per run. limit: the interruption
    that ends the search when the step's time is over.
    """

    exam: Exam
    submission: Submission
    runner: Runner
    timeout: float
    known: Mapping[str, Answer]
    part: str
    step: StepMarks
    limit: Interruption

    @functools.cached_property
    def sheets(self) -> list[Sheet]:
        """The cases of the step, each with its key and answer. Cases without an answer are left out."""
        cases = self.exam.paper.of(self.part, frozenset({self.step.step}))
        answers = self.known if all(case.path in self.known for case in cases) else self.run(cases)
        keys, syllabus = self.exam.key.cases, self.exam.syllabus
        return [Sheet(syllabus, one, keys[one.path], answers[one.path]) for one in cases if one.path in answers]

    @functools.cached_property
    def wrong(self) -> Sheet:
        """The first case with a wrong answer."""
        return next(one for one in self.sheets if not is_right(one, one.answer))

    @functools.cached_property
    def source(self) -> Source:
        """The source of the module that contains the step."""
        return self.submission.modules[self.part]

    @functools.cached_property
    def texts(self) -> dict[str, str]:
        """The sources of all modules and notebook cells of the submission, by path."""
        return {block.path: block.text for one in self.submission.modules.values() for block in one.blocks}

    @functools.cached_property
    def traced(self) -> tuple[Trace, Answer]:
        """The trace of the submission on the first wrong case, and the answer of the traced run."""
        found, path = self._ran([self.wrong.paper], trace=True), self.wrong.paper.path
        return found.traces.get(path, Trace()), found.answers.get(path, Answer())

    @functools.cached_property
    def aligned(self) -> Alignment:
        """The alignment of the submission's trace with the reference's trace."""
        trace, answer = self.traced
        siblings = {one.name for one in self.exam.syllabus.part(self.part).steps} - {self.step.step}
        return Alignment(self.wrong.paper, self.wrong.key, trace, answer, self.texts, siblings, self.limit.check)

    @functools.cached_property
    def told(self) -> Diagnosis | None:
        """The diagnosis from grading, with the line and the operands' shapes if the step raised.

        If the exception comes from another step, the line is the one that calls the other step.
        """
        stop, known = self.traced[0].stop, self.step.diagnosis
        if not stop:
            return known
        others = {one.name for one in self.exam.syllabus.steps} - {self.step.step}
        own = [one for one in stop.lines if one[2].partition(".")[0] not in others]
        path, line, _ = (own or stop.lines)[-1]
        spot = line_spot(path, line, self.texts.get(path, ""))
        was_given = bool(stop.operands) and (not own or own[-1] == stop.lines[-1])
        given = " and ".join(f"{f'`{name}`' if name else 'a tensor'} of shape {shape}" for name, shape in stop.operands)
        says = f"Line {line} was given {given}." if was_given else f"Line {line} raised: `{spot.text.strip()}`."
        if known:
            return replace(known, what=known.what or says, spot=known.spot or spot)
        kind: tuple[Kind, str] = ("exception", "operands") if was_given else ("place", "place_raised")
        return Diagnosis(*kind, says, where=says, spot=spot)

    def run(self, cases: Sequence[PaperCase]) -> Mapping[str, Answer]:
        """Return the submission's answers to some cases of the step, by path."""
        return self._ran(cases).answers

    def _ran(self, cases: Sequence[PaperCase], trace: bool = False) -> PartAnswers:
        syllabus, steps = self.exam.syllabus, {self.part: frozenset({self.step.step})}
        job, limit = (self.runner, self.submission, syllabus, Paper(tuple(cases)), steps), self.limit
        return run(*job, timeout=self.timeout, interruption=limit, trace=trace).parts[self.part]


def _unused(evidence: Evidence) -> Diagnosis | None:
    if evidence.step.diagnosis:
        return None
    for block in evidence.source.blocks:
        for node in [node for name, node in block.parsed.definitions if name == evidence.step.step][-1:]:
            functions = node.body if isinstance(node, ast.ClassDef) else [node]
            for argument in (one for each in functions if isinstance(each, ast.FunctionDef) for one in unused_in(each)):
                says, spot = (
                    f"Your code never uses `{argument.arg}`.",
                    span_spot(block.path, span_of(argument), block.text),
                )
                return Diagnosis("influence", "unused", says, where=says, spot=spot)
    return None


def _place(evidence: Evidence) -> Diagnosis | None:
    place = evidence.aligned.place
    return place.diagnosis(evidence.told) if place else evidence.told


def _repair(evidence: Evidence) -> Diagnosis | None:
    source, definitions = evidence.source, Definitions(evidence.submission.modules)
    with Trials(evidence.runner, evidence.submission, evidence.part, evidence.limit) as trials:
        found = by_repair(evidence.sheets, source, definitions, trials, evidence.aligned.lines(source.path))
    if not found:
        return None
    told = evidence.step.diagnosis
    return replace(found, says=told.says) if told and told.kind in ("exception", "relation") else found


def _influence(evidence: Evidence) -> Diagnosis | None:
    if evidence.told:
        return None
    found, place = dependency_map.by_influence(evidence.wrong, evidence.run), evidence.aligned.place
    return place.diagnosis(found) if place and found else found


FINDERS_BY_RUNS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (_place, _influence, _repair)
"""The searches for a cause, the cheapest first. The last search that finds a cause counts."""


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
    """Return the marks, with a diagnosis in each wrong step for which a cause is found.

    seconds: the time limit of the search in each step. timeout: seconds per run of a step.
    interruption: ends all searches. on_cause: called before each search. known: the submission's
    answers, by case path. A step without all answers runs again. Raises CannotRun, and Interrupted.
    """
    ends = interruption or Interruption()

    def explained(part: PartMarks, step: StepMarks) -> StepMarks:
        if not is_searched(step):
            return step
        if on_cause:
            on_cause(part.part, step)
        found = _find(Evidence(exam, submission, runner, timeout, known, part.part, step, Interruption(seconds, ends)))
        ends.check()
        return replace(step, diagnosis=clean_diagnosis(found)) if found else step

    return replace(
        marks,
        parts=tuple(replace(part, steps=tuple(explained(part, step) for step in part.steps)) for part in marks.parts),
    )


def _find(evidence: Evidence) -> Diagnosis | None:
    found = None
    try:
        if all(is_right(one, one.answer) for one in evidence.sheets):
            return None
        found = _unused(evidence)
        wrong, (_, again) = evidence.wrong, evidence.traced
        if has_right_outputs(wrong, again) and not has_right_outputs(wrong, wrong.answer):
            return found  # the second run is right, so any edit would seem to repair the code
        for finder in FINDERS_BY_RUNS:
            found = finder(evidence) or found
    except Interrupted:
        pass  # the time is over, or the caller has ended the search
    except CannotRun:
        raise
    except Exception:
        found = None  # an error of a finder must not deprive the student of marks
    return found

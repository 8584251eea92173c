"""The share of mutants whose cause is found. A mutant is a right program with one known edit."""

import difflib
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.authoring import alternatives
from autograder.authoring.trial import try_text
from autograder.check import check
from autograder.diagnosis import FULL
from autograder.diagnosis.find import find_causes
from autograder.diagnosis.operators.edits import Mutant, mutants
from autograder.exam.files import read_exam
from autograder.exam.model import Exam, Scope, restricted_to
from autograder.exam.reference import read
from autograder.grading.results import Diagnosis
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

OF_SOLUTIONS, OF_ALTERNATIVES = 100, 400
"""Of so many mutants one is looked at: all of them would take hours."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Searched:
    """What was found of one wrong text.

    named: as a known mistake, which has no place. placed: at a line that was changed. elsewhere: at one that was not. cured: every
    case is right with the edits that are told. seconds: of the search.
    """

    named: bool
    placed: bool
    elsewhere: bool
    cured: bool
    seconds: float


@dataclass(frozen=True)
class FoundCauses:
    """The causes found in one part, of mutants of solutions and of alternatives."""

    part: str
    solutions: Sequence[Searched]
    alternatives: Sequence[Searched]


@dataclass(frozen=True)
class Changed:
    """A text with one edit: the whole module, and the lines that were changed."""

    definition: str
    text: str
    lines: frozenset[int]


def find(workspace: Workspace, runner: Runner, progress: Progress, scope: Scope = None) -> Iterator[FoundCauses]:
    """Look part by part for the causes of a sample of mutants. Raises BrokenCourse."""
    exam = read_exam(workspace.practice_exam)
    for part in restricted_to(exam, scope).syllabus.parts:
        steps = {step.name for step in part.steps}
        search = _Search(exam, part.name, runner, progress)
        module = read(workspace.solutions / f"{part.name}.py")
        own = [one for one in changed(module.text, module.solution_lines) if one.definition in steps]
        others = alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py")
        of_others = (
            one
            for other in others
            if other.step in steps
            for one in changed(other.text, range(other.text.count("\n") + 1))
            if one.definition == other.step
        )
        yield FoundCauses(
            part.name,
            search.all(own[::OF_SOLUTIONS], "mutants"),
            search.all(itertools.islice(of_others, 0, None, OF_ALTERNATIVES), "mutants of alternatives"),
        )


def changed(text: str, lines: Sequence[int] | frozenset[int]) -> Iterator[Changed]:
    """Yield the mutants of a module, with what they change."""
    was = text.splitlines()
    return (_changed(was, mutant) for mutant in mutants(text, lines))


def _changed(was: Sequence[str], mutant: Mutant) -> Changed:
    becomes = mutant.text.splitlines()
    blocks = difflib.SequenceMatcher(None, was, becomes, autojunk=False).get_opcodes()
    lines = {
        line + 1
        for kind, _, _, first, last in blocks
        if kind != "equal"
        for line in range(max(first - (kind == "delete"), 0), last + (kind == "delete"))
    }
    return Changed(mutant.definition, mutant.text, frozenset(lines))


class _Search:
    """The search for causes in one part."""

    def __init__(self, exam: Exam, part: str, runner: Runner, progress: Progress) -> None:
        self._exam, self._part, self._runner, self._progress = exam, part, runner, progress

    def all(self, texts: Sequence[Changed] | Iterator[Changed], title: str) -> list[Searched]:
        """Return what is found of those texts that are wrong."""
        found = []
        for one in texts:
            step = self._exam.syllabus.part(self._part).step(one.definition)
            self._progress(f"causes of {title} of {step.path}")
            if not try_text(self._runner, self._exam, step, one.text).passed:
                found.append(self._one(one))
        return found

    def _one(self, one: Changed) -> Searched:
        submission = Submission("mutant", {self._part: Source.module(f"{self._part}.py", one.text)})
        steps = [self._exam.syllabus.part(self._part).step(one.definition)]
        marks = check(self._exam, submission, steps, self._runner)
        begun = time.perf_counter()
        step = find_causes(marks, self._exam, submission, self._runner, FULL).parts[0].steps[0]
        return _searched(one, step.diagnosis, time.perf_counter() - begun)


def _searched(one: Changed, cause: Diagnosis | None, seconds: float) -> Searched:
    line = cause.spot.line if cause and cause.spot else None
    named = cause is not None and cause.kind == "mistake"
    placed = line in one.lines
    elsewhere = line is not None and not placed and not named
    return Searched(named, placed, elsewhere, cause is not None and cause.kind == "cure", seconds)

"""An exam on only some steps, and one that is set again on some steps and otherwise unchanged.

The cases of a step are drawn from the exam's seed and the step's own name, so they are the same whatever else the exam holds.
"""

from collections.abc import Collection
from dataclasses import replace

from autograder.exam.model import Exam, Key, Paper
from autograder.exam.syllabus import Syllabus

Scope = Collection[str] | None
"""The paths of some steps; None for all."""


def restricted_to(exam: Exam, scope: Scope) -> Exam:
    """Return an exam without what belongs to other steps."""
    if scope is None:
        return exam
    kept = (
        replace(part, steps=tuple(step for step in part.steps if step.path in scope)) for part in exam.syllabus.parts
    )
    cases = tuple(case for case in exam.paper.cases if f"{case.part}.{case.step}" in scope)
    key = Key(
        {case.path: exam.key.cases[case.path] for case in cases},
        {step: known for step, known in exam.key.fingerprints.items() if step in scope},
    )
    syllabus = replace(exam.syllabus, parts=tuple(part for part in kept if part.steps))
    made_from = {step: digest for step, digest in exam.made_from.items() if step in scope}
    return Exam(syllabus, Paper(cases), key, exam.digest, made_from)


def merged(syllabus: Syllabus, earlier: Exam, made: Exam, scope: Collection[str]) -> Exam:
    """Return an exam on a syllabus: the steps in scope as made, all others as in an earlier exam."""
    paths = [step.path for step in syllabus.steps]
    pieces = [restricted_to(made if path in scope else earlier, {path}) for path in paths]
    key = Key(
        {path: case for piece in pieces for path, case in piece.key.cases.items()},
        {path: known for piece in pieces for path, known in piece.key.fingerprints.items()},
    )
    paper = Paper(tuple(case for piece in pieces for case in piece.paper.cases))
    made_from = {path: digest for piece in pieces for path, digest in piece.made_from.items()}
    return Exam(syllabus, paper, key, made_from=made_from)

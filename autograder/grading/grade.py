"""Marking: a submission's answers against the key of its exam."""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam, PaperCase
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart, SyllabusStep
from autograder.grading.callees import blame_callees, listed, unwritten_callee
from autograder.grading.checks import Sheet, check_case
from autograder.grading.exceptions import PLACE
from autograder.grading.match_known import UNDIAGNOSED, Evidence, diagnose
from autograder.grading.points import CaseChecks, earned, hint_for
from autograder.grading.relations import Relation
from autograder.grading.results import CHECKS, Check, Diagnosis, Marks, PartMarks, StepMarks
from autograder.runner.answers import Answers, PartAnswers
from autograder.sandbox import NONE
from autograder.submission.model import Source, Submission
from autograder.submission.parsed import Definitions
from autograder.submission.suspicious_names import suspicious_names

MOST_CHARACTERS = 4_000
WITHOUT_A_WORD = "it failed to load and did not say why, as no ordinary code does"
UNFINISHED = Answer(failure=Failure(Verdict.MISSING, "no answer came back"))
LOADING_DIED = (Verdict.RAISED, Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)


def mark(
    exam: Exam,
    answers: Answers,
    submission: Submission,
    relations: Sequence[Relation],
    sandbox: str = NONE,
) -> Marks:
    """Mark a submission's answers.

    relations: how wrong numbers may be related to the right ones. sandbox: the level under which the answers were given.
    """
    definitions = Definitions(submission.modules)
    parts = tuple(
        replace(
            _mark_part(exam, exam.syllabus.part(name), part, definitions, relations),
            submitted_at=submission.submitted_at.get(name),
            digest=digest(submission.code_of(name)) if name in submission.modules else "",
        )
        for name, part in answers.parts.items()
    )
    looks = (*suspicious_names(submission.modules, {part.name for part in exam.syllabus.parts}), *submission.looks)
    return Marks(
        submission=submission.name,
        digest=digest(submission.modules),
        exam=exam.digest,
        graded_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(answers.seconds, 3),
        sandbox=sandbox,
        parts=blame_callees(parts, definitions),
        notes=tuple(map(clean, submission.notes)),
        looks=tuple(replace(look, says=clean(look.says)) for look in looks),
    )


def digest(modules: Mapping[str, Source]) -> str:
    """Return the digest of modules: the same text has the same digest, whoever submits it."""
    content = hashlib.sha256()
    for name, source in sorted(modules.items()):
        content.update(f"{name}\0{source.is_notebook}\0{len(source.blocks)}\0".encode())
        for block in source.blocks:
            content.update(f"{len(block.text)}\0{block.text}\0".encode())
    return f"sha256:{content.hexdigest()}"


def _mark_part(
    exam: Exam, part: SyllabusPart, found: PartAnswers, definitions: Definitions, relations: Sequence[Relation]
) -> PartMarks:
    if found.error:
        verdict = found.error.kind if found.error.kind in LOADING_DIED else Verdict.MISSING
        lost = tuple(_lost(step, verdict, found.error) for step in part.steps if step.name in found.asked)
        detail = f"\n{found.error.traceback}" if found.error.traceback else ""
        error = clean(found.error.message + detail).strip()
        return PartMarks(part.name, error or WITHOUT_A_WORD, lost)
    sat = {path.split(".")[1] for path in found.answers}
    steps = (_mark_step(exam, step, found, definitions, relations) for step in part.steps if step.name in sat)
    notes = tuple(filter(str.strip, map(clean, found.notes)))
    return PartMarks(part.name, None, tuple(steps), notes=notes)


def _lost(step: SyllabusStep, verdict: Verdict, error: Failure) -> StepMarks:
    return StepMarks(step.name, verdict, 0.0, step.points, traceback=clean(error.traceback) or None)


def _mark_step(
    exam: Exam, step: SyllabusStep, found: PartAnswers, definitions: Definitions, relations: Sequence[Relation]
) -> StepMarks:
    cases = exam.paper.of(step.part, frozenset({step.name}))
    answers = [found.answers.get(case.path, UNFINISHED) for case in cases]
    marks = _mark_answers(exam, step, cases, answers, definitions, relations)
    return replace(marks, printed=clean(found.printed.get(step.name, "")))


def _mark_answers(
    exam: Exam,
    step: SyllabusStep,
    cases: Sequence[PaperCase],
    answers: list[Answer],
    definitions: Definitions,
    relations: Sequence[Relation],
) -> StepMarks:
    answers = [unwritten_callee(step, answer, exam.syllabus) for answer in answers]
    if failure := _failure_of_all(exam.syllabus.part(step.part), step, answers, definitions):
        answers = [Answer(failure=failure)] * len(cases)
    sheets = [
        Sheet(exam.syllabus, case, exam.key.cases[case.path], answer)
        for case, answer in zip(cases, answers, strict=True)
    ]
    checks: list[tuple[Check, ...]] = []
    passed = True
    for sheet in sheets:
        checks.append(check_case(sheet, drawn=passed))
        passed = passed and _all_passed(checks[-1])
    verdict = _verdict(sheets, checks)
    tried = not passed and verdict not in UNDIAGNOSED
    failed = next(
        (sheet.answer.failure for sheet, case in zip(sheets, checks, strict=True) if not _all_passed(case)), None
    )
    known = exam.key.known_wrong.get(step.path, ())
    cause = None
    if tried:
        with contextlib.suppress(Exception):  # our own error, which must not cost the student the marks
            cause = diagnose(Evidence(sheets, known, relations, definitions))
    looked_at = [
        CaseChecks(frozenset(sheet.groups), case, sheet.fixed, sheet.plain)
        for sheet, case in zip(sheets, checks, strict=True)
    ]
    criteria = earned(step, looked_at, counts=verdict != Verdict.FORBIDDEN)
    marks = StepMarks(
        step=step.name,
        verdict=verdict,
        score=round(sum(criterion.score for criterion in criteria), 2),
        max_score=step.points,
        checks=tuple(_clean_check(check) for case in checks for check in case),
        diagnosis=clean_diagnosis(cause),
        traceback=clean(failed.traceback) or None if failed and verdict != Verdict.NOT_ATTEMPTED else None,
        criteria=criteria,
    )
    return replace(marks, hint=hint_for(step, marks))


def _failure_of_all(
    part: SyllabusPart, step: SyllabusStep, answers: list[Answer], definitions: Definitions
) -> Failure | None:
    """Return what a step has failed by as a whole, if anything: one forbidden call, or a stub in or below what the student wrote."""
    failures = [answer.failure for answer in answers]
    if forbidden := next((failure for failure in failures if failure and failure.kind == Verdict.FORBIDDEN), None):
        return forbidden
    if not all(failure and failure.kind == Verdict.NOT_ATTEMPTED for failure in failures):
        return None
    places = definitions.places_of(step.part, step.name)
    if len(places) < 2:
        stands = next(failure for failure in failures if failure)
        begun = definitions.begun(step.part, step.name, stub_of_step(part, step))
        return _begun(step, stands) if begun else None
    where = listed(places)
    message = f"`{step.name}` is defined more than once, in {where}. The last one counts, and it is a stub: delete it."
    return Failure(Verdict.RAISED, message)


def _begun(step: SyllabusStep, failure: Failure) -> Failure:
    """Say which `raise` of a stub still stands in code that was begun."""
    last = list(PLACE.finditer(failure.traceback))[-1:]
    line = f" of line {last[0]['line']}" if last else ""
    inside = f", in `{last[0]['name']}`," if last and last[0]["name"] != step.name else ""
    message = f"`{step.name}` is begun, but the `raise NotImplementedError`{line}{inside} still stands. Write what is missing there, and delete it."
    return replace(failure, kind=Verdict.RAISED, message=message)


def _all_passed(case: tuple[Check, ...]) -> bool:
    return all(check.passed for check in case)


def _verdict(sheets: list[Sheet], checks: list[tuple[Check, ...]]) -> Verdict:
    """Return the verdict of the first failed check; a stub is not attempted only if no case got past it."""
    failures = [sheet.answer.failure for sheet in sheets]
    if all(failure and failure.kind == Verdict.NOT_ATTEMPTED for failure in failures):
        return Verdict.NOT_ATTEMPTED
    for sheet, case in zip(sheets, checks, strict=True):
        for check in case:
            if not check.passed:
                failure = sheet.answer.failure
                kind = failure.kind if failure else CHECKS[check.check]
                return Verdict.RAISED if kind == Verdict.NOT_ATTEMPTED else kind
    return Verdict.PASSED


def _clean_check(check: Check) -> Check:
    return replace(check, message=clean(check.message)) if check.message else check


def clean_diagnosis(found: Diagnosis | None) -> Diagnosis | None:
    """Bound a diagnosis's texts and take their control characters out: they may quote the student's code."""
    if not found:
        return None
    spot = found.spot and replace(found.spot, file=clean(found.spot.file), text=clean(found.spot.text))
    return replace(
        found,
        says=clean(found.says),
        where=clean(found.where),
        what=clean(found.what),
        how=clean(found.how),
        spot=spot,
    )


def clean(text: str) -> str:
    """Bound a student's text and take its control characters out; newlines and tabs stay."""
    if not text.isprintable():
        text = "".join(character for character in text if character in "\n\t" or character.isprintable())
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"

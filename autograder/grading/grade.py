"""Grade a submission: compare its answers with the key of its exam."""

import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from autograder.course.answer import Answer, Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.grading.checks import Sheet, check_case
from autograder.grading.compare import Relation
from autograder.grading.exceptions import PLACE
from autograder.grading.match_known import UNDIAGNOSED, Evidence, diagnose
from autograder.grading.points import CaseChecks, earned, hint_for
from autograder.grading.results import CALLS_OPEN, CHECKS, Diagnosis, Marks, PartMarks, StepMarks
from autograder.runner.answers import Answers, PartAnswers
from autograder.sandbox import NONE
from autograder.submission.model import Source, Submission
from autograder.submission.parsed import Definitions
from autograder.submission.suspicious_names import suspicious_names

MOST_CHARACTERS = 4_000
WITHOUT_A_WORD = "it failed to load without a reason, which ordinary code always gives"
UNFINISHED = Answer(failure=Failure(Verdict.MISSING, "no answer came back"))
LOADING_DIED = (Verdict.RAISED, Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY)

STUB = re.compile(r"NotImplementedError: (?P<number>step \d+: )?(?P<step>\w+)")
"""The message of a stub's exception. Stubs that nbgrader makes give no step number."""

UNWRITTEN = "which is not written yet"
"""The words in a failure's message about a called step that is still a stub."""

WRONG_TENSORS = (Verdict.WRONG_SHAPE, Verdict.WRONG_VALUES)


def mark(
    exam: Exam, answers: Answers, submission: Submission, relations: Sequence[Relation], sandbox: str = NONE
) -> Marks:
    """Grade a submission's answers. relations: those to find in wrong values. sandbox: the level used."""
    definitions = Definitions(submission.modules)
    parts = (
        replace(
            _mark_part(exam, exam.syllabus.part(name), part, definitions, relations),
            submitted_at=submission.submitted_at.get(name),
            digest=digest(submission.code_of(name)) if name in submission.modules else "",
        )
        for name, part in answers.parts.items()
    )
    looks = (*suspicious_names(submission.modules, {part.name for part in exam.syllabus.parts}), *submission.looks)
    marks = Marks(
        submission=submission.name,
        digest=digest(submission.modules),
        exam=exam.digest,
        graded_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(answers.seconds, 3),
        sandbox=sandbox,
        parts=tuple(parts),
        notes=tuple(map(clean, submission.notes)),
        looks=tuple(replace(look, says=clean(look.says)) for look in looks),
    )
    return _with_callees(marks, definitions)


def digest(modules: Mapping[str, Source]) -> str:
    """Return the SHA-256 digest of the names and sources of modules."""
    content = hashlib.sha256()
    for name, source in sorted(modules.items()):
        content.update(f"{name}\0{source.is_notebook}\0{len(source.blocks)}\0".encode())
        for block in source.blocks:
            content.update(f"{len(block.text)}\0{block.text}\0".encode())
    return f"sha256:{content.hexdigest()}"


def _mark_part(
    exam: Exam, part: SyllabusPart, found: PartAnswers, definitions: Definitions, relations: Sequence[Relation]
) -> PartMarks:
    if failure := found.error:
        verdict = failure.kind if failure.kind in LOADING_DIED else Verdict.MISSING
        traceback = clean(failure.traceback)
        lost = tuple(
            StepMarks(step.name, verdict, 0.0, step.points, traceback=traceback or None)
            for step in part.steps
            if step.name in found.asked
        )
        return PartMarks(part.name, clean(f"{failure.message}\n{failure.traceback}").strip() or WITHOUT_A_WORD, lost)
    sat = {path.split(".")[1] for path in found.answers}
    steps = (_mark_step(exam, step, found, definitions, relations) for step in part.steps if step.name in sat)
    notes = tuple(filter(str.strip, map(clean, found.notes)))
    return PartMarks(part.name, None, tuple(steps), notes=notes)


def _mark_step(
    exam: Exam, step: SyllabusStep, found: PartAnswers, definitions: Definitions, relations: Sequence[Relation]
) -> StepMarks:
    cases = exam.paper.of(step.part, frozenset({step.name}))
    answers = [found.answers.get(case.path, UNFINISHED) for case in cases]
    answers = [_unwritten_callee(step, answer, exam.syllabus) for answer in answers]
    if failure := _failure_of_all(exam.syllabus.part(step.part), step, answers, definitions):
        answers = [Answer(failure=failure)] * len(cases)
    sheets = [
        Sheet(exam.syllabus, case, exam.key.cases[case.path], answer)
        for case, answer in zip(cases, answers, strict=True)
    ]
    checks: list[CaseChecks] = []
    for sheet in sheets:
        drawn = all(case.passed for case in checks)
        checks.append(CaseChecks(frozenset(sheet.groups), check_case(sheet, drawn), sheet.fixed))
    failed = next((sheet for sheet, case in zip(sheets, checks, strict=True) if not case.passed), None)
    verdict = _verdict(sheets, checks)
    failure = failed.answer.failure if failed else None
    cause = None
    if failed and verdict not in UNDIAGNOSED:
        with contextlib.suppress(Exception):  # an error of the grader must not cost a student the marks
            cause = diagnose(Evidence(sheets, exam.key.known_wrong.get(step.path, ()), relations))
    criteria = earned(step, checks, counts=verdict != Verdict.FORBIDDEN)
    marks = StepMarks(
        step=step.name,
        verdict=verdict,
        score=round(sum(criterion.score for criterion in criteria), 2),
        max_score=step.points,
        checks=tuple(replace(one, message=clean(one.message)) for case in checks for one in case.checks),
        diagnosis=clean_diagnosis(cause),
        traceback=clean(failure.traceback) or None if failure and verdict != Verdict.NOT_ATTEMPTED else None,
        printed=clean(found.printed.get(step.name, "")),
        criteria=criteria,
    )
    return replace(marks, hint=hint_for(step, marks))


def _failure_of_all(
    part: SyllabusPart, step: SyllabusStep, answers: list[Answer], definitions: Definitions
) -> Failure | None:
    failures = [answer.failure for answer in answers]
    if forbidden := next((failure for failure in failures if failure and failure.kind == Verdict.FORBIDDEN), None):
        return forbidden
    if not all(failure and failure.kind == Verdict.NOT_ATTEMPTED for failure in failures):
        return None
    places = definitions.places_of(step.part, step.name)
    if len(places) < 2:
        begun = definitions.begun(step.part, step.name, stub_of_step(part, step))
        return _begun(step, next(filter(None, failures))) if begun else None
    where = _listed(places)
    message = f"`{step.name}` is defined more than once, in {where}. The last one counts, and it is a stub: delete it."
    return Failure(Verdict.RAISED, message)


def _begun(step: SyllabusStep, failure: Failure) -> Failure:
    last = list(PLACE.finditer(failure.traceback))[-1:]
    line = f" of line {last[0]['line']}" if last else ""
    inside = f", in `{last[0]['name']}`," if last and last[0]["name"] != step.name else ""
    message = f"`{step.name}` is begun, but the `raise NotImplementedError`{line}{inside} still stands. Write what is missing there, and delete it."
    return replace(failure, kind=Verdict.RAISED, message=message)


def _unwritten_callee(step: SyllabusStep, answer: Answer, syllabus: Syllabus) -> Answer:
    if not answer.failure or answer.failure.kind != Verdict.NOT_ATTEMPTED:
        return answer
    stub = STUB.fullmatch(answer.failure.message)
    others = {one.name for one in syllabus.steps} - {step.name}
    if not stub or stub["step"] not in others:
        return answer
    number = f": {stub['number'].removesuffix(': ')}" if stub["number"] else ""
    message = f"it calls your `{stub['step']}`, {UNWRITTEN}{number}. Write that one first."
    return replace(answer, failure=replace(answer.failure, kind=Verdict.RAISED, message=message))


def _with_callees(marks: Marks, definitions: Definitions) -> Marks:
    parts = [part for part in marks.parts if not part.error]
    open_steps = {(part.part, step.step): step for part in parts for step in part.steps if not step.passed}
    return replace(
        marks,
        parts=tuple(
            replace(part, steps=tuple(_with_callee(part.part, step, open_steps, definitions) for step in part.steps))
            for part in marks.parts
        ),
    )


def _with_callee(
    part: str, step: StepMarks, open_steps: dict[tuple[str, str], StepMarks], definitions: Definitions
) -> StepMarks:
    alike = [one for one, callee in open_steps.items() if one != (part, step.step) and _may_cause(callee, step)]
    called = definitions.called_by(part, step.step) if alike else ()
    names = [f"`{name}`" for where, name in alike if (where, name) in called]
    if not names:
        return step
    have = "has not passed itself" if len(names) == 1 else "have not passed themselves"
    says = f"It calls your {_listed(names)}, which {have}: start there."
    if step.diagnosis is None:
        return replace(step, diagnosis=Diagnosis("relation", CALLS_OPEN, says))
    return replace(step, diagnosis=replace(step.diagnosis, says=f"{step.diagnosis.says} {says}"))


def _may_cause(callee: StepMarks, step: StepMarks) -> bool:
    failure, of_callee = step.first_failure, callee.first_failure
    if not failure or not of_callee or failure.headline or of_callee.headline or UNWRITTEN in failure.message:
        return False
    if step.verdict == Verdict.RAISED:
        return callee.verdict == Verdict.RAISED and _last_place(callee) == _last_place(step) != ""
    if step.verdict in WRONG_TENSORS:
        shapes_alone = step.verdict == Verdict.WRONG_SHAPE and callee.verdict != Verdict.WRONG_SHAPE
        are_tensors = all(one.picture or one.check == "shape" for one in (failure, of_callee))
        return are_tensors and callee.verdict in WRONG_TENSORS and not shapes_alone
    return callee.verdict == step.verdict not in (Verdict.NOT_ATTEMPTED, Verdict.FORBIDDEN)


def _last_place(step: StepMarks) -> str:
    places = list(PLACE.finditer(step.traceback or ""))
    return places[-1][0] if places else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verdict(sheets: Sequence[Sheet], checks: Sequence[CaseChecks]) -> Verdict:
    """Return the verdict of the first failed check. NOT_ATTEMPTED means that all cases reach a stub."""
    failures = [sheet.answer.failure for sheet in sheets]
    if all(failure and failure.kind == Verdict.NOT_ATTEMPTED for failure in failures):
        return Verdict.NOT_ATTEMPTED
    for failure, case in zip(failures, checks, strict=True):
        for check in case.checks:
            if not check.passed:
                kind = failure.kind if failure else CHECKS[check.check]
                return Verdict.RAISED if kind == Verdict.NOT_ATTEMPTED else kind
    return Verdict.PASSED


def clean_diagnosis(found: Diagnosis | None) -> Diagnosis | None:
    """Clean the texts of a diagnosis, because these texts may quote the student's code."""
    if not found:
        return None
    spot = found.spot and replace(found.spot, file=clean(found.spot.file), text=clean(found.spot.text))
    says, where, what, how = map(clean, (found.says, found.where, found.what, found.how))
    return replace(found, says=says, where=where, what=what, how=how, spot=spot)


def clean(text: str) -> str:
    """Remove control characters, except newlines and tabs, and cut a text to MOST_CHARACTERS."""
    if not text.isprintable():
        text = "".join(character for character in text if character in "\n\t" or character.isprintable())
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"

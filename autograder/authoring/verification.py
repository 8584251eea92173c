"""Verify a course: solutions pass, stubs are not attempted, mistakes are named, files are current."""

import re
from collections.abc import Collection, Iterator

from autograder.authoring import alternatives, case_coverage, sync
from autograder.authoring.machine_noise import with_noise
from autograder.authoring.mutants import mutants_fail, promises_are_checked
from autograder.authoring.rubric import laws_of_points
from autograder.authoring.trial import Finding, Progress, describe_marks, text_with, try_out, try_text
from autograder.course.course import Course
from autograder.course.verdicts import Verdict
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam
from autograder.exam.model import Exam, Scope, restricted_to
from autograder.grading.points import missed
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission, read_folder
from autograder.workspace import Workspace

OTHER_SEED = 20_261_121
"""The seed of an exam other than the practice exam."""

FEWEST_ALTERNATIVES = 3

KINDS = re.compile(r"[123]d$")
"""Matches the dimensions in a torch name, because docstrings say `BatchNorm` for `BatchNorm1d`."""


def verify(workspace: Workspace, runner: Runner, progress: Progress, scope: Scope = None) -> Iterator[Finding]:
    """Verify the parts of a course. progress: called with the current check. scope: paths of the steps."""
    progress("what is made from the source")
    yield _nothing_drifted(workspace, scope)
    practice = restricted_to(read_exam(workspace.practice_exam), scope)
    progress("the laws of cases")
    yield _cases_keep_the_laws(workspace.course, [step.path for step in practice.syllabus.steps])
    progress("the laws of points")
    yield laws_of_points(runner, practice)
    progress("what docstrings promise beside numbers")
    yield promises_are_checked(workspace, runner, practice)
    progress("stubs sit the practice exam")
    yield _stubs_are_not_attempted(runner, practice)
    progress("another exam is set")
    other = restricted_to(build_exam(workspace.course, OTHER_SEED, scope=scope), scope)
    for exam, title in ((practice, "the practice exam"), (other, "another exam")):
        progress(f"solutions sit {title}")
        yield _solutions_pass(workspace, runner, exam, title)
        yield _mistakes_are_named(workspace.course, runner, exam, title, progress)


def verify_in_full(workspace: Workspace, runner: Runner, progress: Progress, scope: Scope = None) -> Iterator[Finding]:
    """Check mutants and alternatives, and all with another machine's rounding. Raises BrokenCourse."""
    practice = restricted_to(read_exam(workspace.practice_exam), scope)
    yield mutants_fail(workspace, runner, practice, progress)
    exam, title = with_noise(practice), "another machine's key"
    progress(f"solutions and alternatives sit {title}")
    yield _alternatives_pass(workspace, runner, practice, "the practice exam", FEWEST_ALTERNATIVES)
    yield _solutions_pass(workspace, runner, exam, title)
    yield _alternatives_pass(workspace, runner, exam, title)
    yield _mistakes_are_named(workspace.course, runner, exam, title, progress)


def _alternatives_pass(workspace: Workspace, runner: Runner, exam: Exam, title: str, fewest: int = 0) -> Finding:
    finding = Finding(f"alternatives that pass {title}")
    for part in exam.syllabus.parts:
        own = alternatives.read(part.name, workspace.root / "course" / part.name / "alternatives.py")
        for step in part.steps:
            ways = [one for one in own if one.step == step.name]
            finding.looked_at += len(ways)
            if len(ways) < fewest:
                finding.blame(step.path, f"{len(ways)} alternatives; write at least {fewest}")
            for one in ways:
                marks = try_text(runner, exam, step, one.text)
                if marks.verdict != Verdict.PASSED:
                    finding.blame(step.path, f"refused, though right ({one.label}): {describe_marks(marks)}")
    return finding


def _cases_keep_the_laws(course: Course, steps: Collection[str]) -> Finding:
    finding = Finding("steps whose cases keep the laws of cases", len(steps))
    for path, advice in case_coverage.breaches(course, steps):
        finding.blame(path, advice)
    return finding


def verify_texts(workspace: Workspace, scope: Scope = None) -> Iterator[Finding]:
    """Check that steps have known mistakes, a lecture, and a docstring that names what they forbid."""
    practice = restricted_to(read_exam(workspace.practice_exam), scope)
    yield _tables_are_complete(practice)
    yield _lectures(workspace, practice)
    yield _forbidden_is_named(workspace.course, practice)


def _nothing_drifted(workspace: Workspace, scope: Scope = None) -> Finding:
    products = sync.check(workspace, scope)
    problems = [f"{one.path.name} {one.problem}; run `attn build`" for one in products if one.problem]
    return Finding("made from the source and not drifted", len(products), problems)


def _solutions_pass(workspace: Workspace, runner: Runner, exam: Exam, title: str) -> Finding:
    submission = read_folder(workspace.solutions, [part.name for part in exam.syllabus.parts])
    finding = Finding(f"solutions that pass {title}")
    for step, marks in try_out(runner, exam, submission, exam.syllabus.steps):
        finding.looked_at += 1
        if marks.verdict != Verdict.PASSED:
            finding.blame(step.path, describe_marks(marks))
        elif marks.score < marks.max_score:
            lost = ", ".join(missed(marks))
            finding.blame(step.path, f"passes but does not get all points: no case of this step awards {lost}")
    return finding


def _stubs_are_not_attempted(runner: Runner, exam: Exam) -> Finding:
    modules = {part.name: Source.module(f"{part.name}.py", part.stub) for part in exam.syllabus.parts}
    finding = Finding("stubs that are not attempted in the practice exam")
    for step, marks in try_out(runner, exam, Submission("stubs", modules), exam.syllabus.steps):
        finding.looked_at += 1
        if marks.verdict != Verdict.NOT_ATTEMPTED:
            finding.blame(step.path, describe_marks(marks))
    return finding


def _mistakes_are_named(course: Course, runner: Runner, exam: Exam, title: str, progress: Progress) -> Finding:
    finding = Finding(f"known mistakes caught and named in {title}")
    for path, known_wrong in exam.key.known_wrong.items():
        progress(f"mistakes of {path}")
        part, _, name = path.partition(".")
        for known in known_wrong:
            finding.looked_at += 1
            marks = try_text(runner, exam, exam.syllabus.part(part).step(name), text_with(course, part, known))
            named = marks.diagnosis.id if marks.diagnosis else "nothing"
            if marks.verdict == Verdict.PASSED:
                finding.blame(path, f"{known.id} passes")
            elif named != known.id:
                finding.blame(path, f"{known.id} is taken for {named}")
    return finding


def _tables_are_complete(exam: Exam) -> Finding:
    known = {step.path: len(exam.key.known_wrong.get(step.path, ())) for step in exam.syllabus.steps}
    problems = [f"{path} has {count}" for path, count in known.items() if count < 3]
    return Finding("steps with at least three known mistakes", len(known), problems)


def _lectures(workspace: Workspace, exam: Exam) -> Finding:
    finding = Finding("lecture pages and anchors that exist")
    for step in exam.syllabus.steps:
        finding.looked_at += 1
        page, _, anchor = step.lecture.partition("#")
        path = workspace.root / page
        if not path.is_file():
            finding.blame(step.path, f"there is no {page}")
        elif f"{{#{anchor}}}" not in path.read_text(encoding="utf-8"):
            finding.blame(step.path, f"{page} has no heading with {{#{anchor}}}")
    return finding


def _forbidden_is_named(course: Course, exam: Exam) -> Finding:
    finding = Finding("steps whose docstrings name what they forbid")
    for part in exam.syllabus.parts:
        for step in part.steps:
            finding.looked_at += 1
            own = [name for name in step.forbids if name not in course.forbidden.names]
            if unnamed := [name for name in own if _words(KINDS.sub("", name)) not in _words(step.docstring)]:
                finding.blame(step.path, f"its docstring does not say that it forbids {', '.join(unnamed)}")
    return finding


def _words(text: str) -> str:
    """Return a text in lower case without spaces and underscores: `LayerNorm` equals `layer_norm`."""
    return re.sub(r"[\s_]", "", text).lower()

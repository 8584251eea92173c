"""The course's check of itself: the checkout's course is sound, and what is wrong with a course is found."""

import dataclasses
import re
import shutil
from collections.abc import Callable

import msgspec
import pytest
from command import attn_in
from screen_text import one_line
from tiny_course import NAME, TinyCourse

from autograder.authoring import verification
from autograder.course.answer import Answer
from autograder.course.course import Forbidden
from autograder.exam.model import Exam, KnownWrong
from autograder.exam.syllabus import SyllabusStep
from autograder.runner.processes import Runner
from autograder.workspace import COURSE, Workspace

STEP = f"{NAME}.scores"
FINDING = re.compile(r"^✓ +(\d+)  (.+)$", re.MULTILINE)


def _ignore(_: str) -> None:
    pass


def _with_steps(exam: Exam, change: Callable[[SyllabusStep], SyllabusStep]) -> Exam:
    parts = tuple(
        dataclasses.replace(part, steps=tuple(change(step) for step in part.steps)) for part in exam.syllabus.parts
    )
    return dataclasses.replace(exam, syllabus=dataclasses.replace(exam.syllabus, parts=parts))


def _knowing_only(exam: Exam, *known_wrong: KnownWrong) -> Exam:
    return dataclasses.replace(exam, key=dataclasses.replace(exam.key, known_wrong={STEP: known_wrong}))


def _answers_of(exam: Exam, mistake: str) -> dict[str, Answer]:
    return next(dict(one.signature) for one in exam.key.known_wrong[STEP] if one.id == mistake)


def _problems_with_mistakes(tiny: TinyCourse, runner: Runner, exam: Exam) -> list[str]:
    return verification._mistakes_are_named(tiny.workspace.course, runner, exam, "an exam", _ignore).problems


# The checkout


@pytest.fixture(scope="module")
def verified(new_course: Callable[..., Workspace], course: Workspace) -> str:
    """What is printed, on 80 columns, by a copy that knows of nothing that was found right. A worker sits the exams, as for authors."""
    workspace = new_course()
    for name in ("README.md", "mkdocs.yml"):
        shutil.copy(course.root / name, workspace.root)
    return attn_in(workspace, "verify", COLUMNS="80", ATTN_RUNNER="worker").stdout


@pytest.mark.slow
def test_the_course_is_sound(verified: str, practice: Exam) -> None:
    """Every solution passes, every stub is not attempted and every mistake is named, in two exams; nothing has drifted."""
    steps, mistakes = len(practice.syllabus.steps), sum(map(len, practice.key.known_wrong.values()))

    assert verified.endswith("The course is sound.\n"), verified
    assert [int(looked_at) for looked_at, _ in FINDING.findall(verified)] == [
        len(COURSE.course.parts) + 5,  # a stub for each part, syllabus, practice exam, three names of the course
        steps,
        23,  # attributes and modes
        *2 * [steps, steps, mistakes],
        *3 * [steps],
        len(COURSE.course.parts),
        steps,
    ]


@pytest.mark.slow
def test_contributing_shows_what_a_verification_prints(verified: str, course: Workspace) -> None:
    assert f"```console\n$ attn verify\n{verified}```" in (course.root / "CONTRIBUTING.md").read_text(encoding="utf-8")


# A small course


def test_a_course_without_a_problem_is_sound_and_the_grader_has_never_been_wrong(tiny: TinyCourse) -> None:
    found = attn_in(tiny.workspace, "verify", "--full")
    assert found.stdout.splitlines()[-2].split() == ["all", "parts", "37", "37", "0", "6", "6", "6", "6"]
    assert found.stdout.endswith("The course is sound.\n")
    assert found.returncode == 0


def test_a_course_with_a_problem_is_not_sound(tiny: TinyCourse) -> None:
    tiny.edit(tiny.lecture, "{#scores}", "")
    found = attn_in(tiny.workspace, "verify")
    assert f"{STEP}: docs/lectures/tiny.md has no heading for #scores" in found.stdout
    assert found.stdout.endswith("The course is not sound: see above.\n")
    assert found.returncode == 1


# Some steps


def test_what_is_wrong_with_a_step_is_found_when_it_is_verified_alone(tiny: TinyCourse) -> None:
    tiny.edit(tiny.lecture, "{#scale}", "")
    assert "has no heading for #scale" in attn_in(tiny.workspace, "verify", "Scale").stdout


# Mistakes


def test_a_mistake_that_passes_is_found(tiny: TinyCourse, tiny_exam: Exam, runner: Runner) -> None:
    tiny.edit(tiny.mistakes, "BANK = MistakeBank()", "BANK = MistakeBank()\nright = lambda query, keys: keys @ query")
    exam = _knowing_only(tiny_exam, KnownWrong("right", "scores", "This one is right.", {}))
    assert _problems_with_mistakes(tiny, runner, exam) == [f"{STEP}: right passes"]


def test_a_mistake_that_is_taken_for_another_is_found(tiny: TinyCourse, tiny_exam: Exam, runner: Runner) -> None:
    first = KnownWrong("added", "scores", "One.", _answers_of(tiny_exam, "doubled"))
    second = KnownWrong("doubled", "scores", "Two.", _answers_of(tiny_exam, "negated"))
    problems = _problems_with_mistakes(tiny, runner, _knowing_only(tiny_exam, first, second))
    assert f"{STEP}: doubled is taken for added" in problems


def test_a_step_with_fewer_than_three_known_mistakes_is_found(tiny_exam: Exam) -> None:
    two = tiny_exam.key.known_wrong[STEP][:2]
    exam = dataclasses.replace(
        tiny_exam, key=dataclasses.replace(tiny_exam.key, known_wrong={**tiny_exam.key.known_wrong, STEP: two})
    )
    assert verification._tables_are_complete(exam).problems == [f"{STEP} has 2"]


# Solutions and stubs


def test_a_solution_that_does_not_pass_is_found(tiny: TinyCourse, tiny_exam: Exam, runner: Runner) -> None:
    tiny.edit(tiny.reference, "return keys @ query", "return keys - query")
    (problem,) = verification._solutions_pass(tiny.workspace, runner, tiny_exam, "the exam").problems
    assert problem.startswith(f"{STEP}: wrong_shape (")


def test_points_that_no_case_earns_are_found(tiny: TinyCourse, runner: Runner) -> None:
    tiny.edit(tiny.data, "import Case,", "import Case, Criterion,")
    tiny.edit(tiny.data, "cases=_scores", 'cases=_scores, criteria=(Criterion("batch", 0.2),)')
    exam = tiny.make()

    problems = verification._solutions_pass(tiny.workspace, runner, exam, "an exam").problems

    assert problems == [f"{STEP}: passes without all points; no case of this step earns batch 0.4"]


def test_a_stub_that_is_attempted_already_is_found(tiny_exam: Exam, runner: Runner) -> None:
    (part,) = tiny_exam.syllabus.parts
    raises = next(line for line in part.stub.splitlines() if "raise NotImplementedError" in line)
    told = dataclasses.replace(part, stub=part.stub.replace(raises, "    return keys", 1))
    exam = dataclasses.replace(tiny_exam, syllabus=dataclasses.replace(tiny_exam.syllabus, parts=(told,)))
    (problem,) = verification._stubs_are_not_attempted(runner, exam, "the exam").problems
    assert problem.startswith(f"{STEP}: wrong_shape (")


def test_drift_is_found_and_the_remedy_named(tiny: TinyCourse) -> None:
    tiny.exercise.unlink()
    problems = verification._nothing_drifted(tiny.workspace).problems
    assert problems == [f"{NAME}.py does not exist; run `attn sync`"]


# What docstrings say


def test_a_step_whose_docstring_does_not_name_what_it_forbids_is_found(tiny: TinyCourse, tiny_exam: Exam) -> None:
    def change(step: SyllabusStep) -> SyllabusStep:
        return (
            dataclasses.replace(step, forbids=("group_norm", "GroupNorm", "GroupNorm2d")) if step.path == STEP else step
        )

    exam = _with_steps(tiny_exam, change)
    told = _with_steps(exam, lambda step: dataclasses.replace(step, docstring="Without torch's group\nnorm."))

    assert verification._forbidden_is_told(tiny.workspace.course, exam).problems == [
        f"{STEP}: its docstring does not say that it forbids group_norm, GroupNorm, GroupNorm2d"
    ]
    assert verification._forbidden_is_told(tiny.workspace.course, told).problems == []


def test_a_part_whose_docstring_does_not_name_what_the_course_forbids_is_found(
    tiny: TinyCourse, tiny_exam: Exam
) -> None:
    forbidden = Forbidden("torch's einsum", ("einsum",))
    course = msgspec.structs.replace(tiny.workspace.course, forbidden=forbidden)
    exam = _with_steps(tiny_exam, lambda step: dataclasses.replace(step, forbids=("einsum",)))
    (first, _) = verification._forbidden_is_told(course, exam).problems
    (part,) = exam.syllabus.parts
    told = dataclasses.replace(part, stub=part.stub.replace("tiny.", "tiny, without torch's\neinsum.", 1))
    told_exam = dataclasses.replace(exam, syllabus=dataclasses.replace(exam.syllabus, parts=(told,)))

    said = f'the docstring of {NAME} does not name what course.toml forbids, "torch\'s einsum"'
    assert first == f"{STEP}: {said}"
    assert verification._forbidden_is_told(course, told_exam).problems == []


def test_an_attribute_that_a_docstring_names_and_no_case_looks_at_is_found(tiny: TinyCourse) -> None:
    forward = '    """Scale."""\n\n    def forward('
    kept = '    """Scale, kept as `by`."""\n\n    def __init__(self) -> None:\n        super().__init__()\n        self.by = 2\n\n    def forward('
    tiny.edit(tiny.reference, forward, kept)
    assert attn_in(tiny.workspace, "sync").returncode == 0

    found = attn_in(tiny.workspace, "verify")

    said = "Scale: its docstring names what no case looks at: it passes when `self.by` becomes `self.by_`"
    assert said in one_line(found.stdout)
    assert found.returncode == 1


# Lectures


def test_a_missing_lecture_anchor_is_found(tiny: TinyCourse, tiny_exam: Exam) -> None:
    tiny.edit(tiny.lecture, "{#scores}", "")
    assert verification._lectures(tiny.workspace, tiny_exam).problems == [
        f"{STEP}: docs/lectures/tiny.md has no heading for #scores"
    ]

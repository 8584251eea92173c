"""Submissions to one step each have the marks that are written beside them. `--record` writes what they have now."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from submissions import Written, cases, natural_submissions, write_cases
from warm import lend

from autograder.check import check
from autograder.course.verdicts import Verdict
from autograder.diagnosis import FULL
from autograder.exam.model import Exam
from autograder.grading.results import StepMarks
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

CASES = list(cases())
NATURAL = list(natural_submissions())

EXPLAINED = 0.85
"""The share for which a cause is found at least, whatever the speed of the machine."""

SAID_BY_THE_VERDICT = (Verdict.FORBIDDEN, Verdict.INCOMPLETE, Verdict.MISSING, Verdict.CHANGED_INPUTS)
"""Verdicts whose message says what is wrong."""

Mark = Callable[..., StepMarks]


@pytest.fixture
def mark(course: Workspace, practice: Exam) -> Mark:
    """Mark in a fork each: a submission may change torch itself."""
    runner = lend(course.root)

    def run(written: Written, seconds: float = 0.0) -> StepMarks:
        source = Source.module(f"{written.part}.py", written.module(course))
        step = practice.syllabus.part(written.part).step(written.name)
        marks = check(practice, Submission("text", {written.part: source}), [step], runner, seconds=seconds)
        assert marks.parts[0].error is None
        return marks.parts[0].steps[0]

    return run


@pytest.fixture(scope="module")
def marked(request: pytest.FixtureRequest) -> Iterator[dict[str, Written]]:
    """The cases by id, those that were run as they are marked now."""
    found = {case.id: case for case in CASES}
    yield found
    if request.config.getoption("record"):
        write_cases([*found.values()])


@pytest.mark.parametrize(
    "case",
    [pytest.param(one, id=one.id, marks=pytest.mark.slow if number % 8 else ()) for number, one in enumerate(CASES)],
)
def test_a_case_has_its_verdict_its_points_and_its_cause(mark: Mark, marked: dict[str, Written], case: Written) -> None:
    marks = mark(case)
    cause = marks.diagnosis.id if marks.diagnosis else ""
    marked[case.id] = replace(case, verdict=str(marks.verdict), points=marks.score, cause=cause)

    assert marked[case.id] == case


def test_every_step_has_freely_written_ones(practice: Exam) -> None:
    assert {one.step for one in NATURAL} == {step.path for step in practice.syllabus.steps}
    assert all(one.wrong for one in NATURAL)


@pytest.mark.slow
@pytest.mark.parametrize("natural", [pytest.param(one, id=one.id) for one in NATURAL[::9]])
def test_a_freely_written_one_does_not_pass(mark: Mark, natural: Written) -> None:
    assert not mark(natural).passed


@pytest.mark.world
@pytest.mark.slow
def test_none_passes_and_a_cause_is_found_for_most(mark: Mark) -> None:
    found = {one.id: mark(one, FULL) for one in NATURAL}
    silent = [name for name, marks in found.items() if not marks.diagnosis and marks.verdict not in SAID_BY_THE_VERDICT]

    assert [name for name, marks in found.items() if marks.passed] == []
    assert len(silent) <= (1 - EXPLAINED) * len(found), silent

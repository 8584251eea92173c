"""What a step earns by each criterion, for what its checks found."""

import pytest

from autograder.course.model import Criterion
from autograder.exam.syllabus import FORM, VALUES, SyllabusStep
from autograder.grading.points import CaseChecks, earned, points_of
from autograder.grading.results import Check

BATCH = "batch"


def step(points: float = 10) -> SyllabusStep:
    """Return a step of three criteria."""
    criteria = Criterion(VALUES, 0.6), Criterion(BATCH, 0.25, cases=("batch",)), Criterion(FORM, 0.15)
    return SyllabusStep("p", "s", 1, "function", "s()", "", "", points, "", ("hint",), "", {}, {}, True, (), criteria)


def found(criterion: str, passed: bool, form: bool = True, fixed: bool = False) -> CaseChecks:
    """Return a case whose values are right or wrong, and whose form is, if they are right. fixed: whether it is the same in every exam."""
    checks = [Check("case", "values", passed, criterion=criterion)]
    checks += [Check("case", "shape", form, criterion=FORM)] * passed
    return CaseChecks(frozenset({criterion}), checks, frozenset({criterion} if fixed else ()))


def scores(*cases: CaseChecks, counts: bool = True) -> dict[str, float]:
    """Return what is earned, by criterion."""
    return {one.name: one.score for one in earned(step(), cases, counts)}


def test_all_right_earns_all_points() -> None:
    assert scores(found(VALUES, True), found(BATCH, True)) == {VALUES: 6.0, BATCH: 2.5, FORM: 1.5}


def test_a_criterion_costs_its_own_share_alone() -> None:
    assert scores(found(VALUES, True), found(BATCH, False)) == {VALUES: 6.0, BATCH: 0.0, FORM: 1.5}


def test_values_earn_the_share_of_their_cases_and_side_conditions_as_much_of_theirs() -> None:
    assert scores(found(VALUES, True), found(VALUES, False), found(BATCH, True)) == {
        VALUES: 3.0,
        BATCH: 2.5,
        FORM: 0.75,
    }


def test_a_side_condition_that_fails_once_is_lost() -> None:
    assert scores(found(VALUES, True), found(VALUES, True, form=False), found(BATCH, True))[FORM] == 0.0


def test_without_right_values_a_side_condition_earns_nothing() -> None:
    assert scores(found(VALUES, False), found(BATCH, True)) == {VALUES: 0.0, BATCH: 2.5, FORM: 0.0}


def test_outputs_that_never_came_are_not_right() -> None:
    raised = CaseChecks(frozenset({VALUES, BATCH}), [Check("case", "runs", False, criterion=VALUES)])
    assert scores(raised) == {VALUES: 0.0, BATCH: 0.0, FORM: 0.0}


def test_what_is_the_same_in_every_exam_earns_nothing_by_itself() -> None:
    known, drawn = found(VALUES, True, fixed=True), found(VALUES, False)

    assert scores(known, drawn, found(BATCH, False)) == {VALUES: 0.0, BATCH: 0.0, FORM: 0.0}


def test_what_is_the_same_in_every_exam_counts_beside_what_is_not() -> None:
    known, drawn = found(VALUES, True, fixed=True), found(VALUES, True)

    assert scores(known, drawn, found(VALUES, False), found(VALUES, False))[VALUES] == 3.0


def test_values_that_could_be_known_do_not_count_by_another_criterion() -> None:
    known, drawn = found(VALUES, True, fixed=True), found(VALUES, False)

    assert scores(known, drawn, found(BATCH, True)) == {VALUES: 0.0, BATCH: 2.5, FORM: 0.0}


@pytest.mark.parametrize(("solved", "score"), [(True, 2.5), (False, 0.0)])
def test_a_criterion_that_is_the_same_in_every_exam_counts_by_the_others(solved: bool, score: float) -> None:
    assert scores(found(VALUES, solved), found(BATCH, True, fixed=True))[BATCH] == score


def test_a_step_that_is_the_same_in_every_exam_earns_its_points() -> None:
    assert scores(found(VALUES, True, fixed=True), found(BATCH, True, fixed=True))[VALUES] == 6.0


def test_what_does_not_count_earns_nothing() -> None:
    assert set(scores(found(VALUES, True), found(BATCH, True), counts=False).values()) == {0.0}


@pytest.mark.parametrize("points", [0.5, 1, 3, 7])
def test_the_points_of_all_criteria_are_those_of_the_step(points: float) -> None:
    assert sum(points_of(step(points)).values()) == pytest.approx(points, abs=1e-9)


# What cannot be seen while something else is wrong


def hidden(*cases: CaseChecks) -> set[str]:
    """Return the criteria of which nothing can be said."""
    return {one.name for one in earned(step(), cases) if one.hidden}


def beside(values: bool, batch: bool, plain: bool = False) -> CaseChecks:
    """Return a case of the values with another output that counts for batches. plain: whether that is no tensor."""
    checks = [
        Check("case", "values", values, criterion=VALUES),
        Check("case", "shape", True, criterion=FORM),
        Check("case", "values", batch, criterion=BATCH),
    ]
    return CaseChecks(frozenset({VALUES, BATCH}), checks, plain=frozenset({BATCH} if plain else ()))


RAISED = CaseChecks(frozenset({BATCH}), [Check("batch", "runs", False, criterion=BATCH)])


@pytest.mark.parametrize(
    "cases",
    [
        [found(VALUES, False), found(VALUES, True), found(BATCH, False)],
        [beside(values=False, batch=False), found(VALUES, True)],
    ],
    ids=["in a case of its own", "in a tensor beside the values"],
)
def test_where_the_values_are_wrong_a_criterion_that_is_wrong_as_they_are_is_hidden(cases: list[CaseChecks]) -> None:
    assert hidden(*cases) == {BATCH}


@pytest.mark.parametrize(
    "cases",
    [
        [found(VALUES, True), found(BATCH, False)],
        [found(VALUES, False), found(VALUES, True), RAISED],
        [beside(values=False, batch=False, plain=True), found(VALUES, True)],
        [beside(values=True, batch=False), found(VALUES, False)],
        [found(VALUES, False), found(VALUES, True), found(BATCH, True)],
    ],
    ids=["right values", "it raises and they do not", "a yes or no", "right values beside it", "it is right"],
)
def test_what_is_wrong_in_another_way_than_the_values_is_not_hidden(cases: list[CaseChecks]) -> None:
    assert hidden(*cases) == set()


def test_a_criterion_whose_outputs_never_came_is_hidden() -> None:
    raised = CaseChecks(frozenset({VALUES, BATCH}), [Check("case", "runs", False, criterion=VALUES)])
    assert hidden(raised, beside(values=True, batch=True)) == {BATCH}


def test_a_side_condition_that_was_never_looked_at_is_hidden() -> None:
    assert hidden(found(VALUES, False), found(BATCH, False)) == {BATCH, FORM}

"""How a step's points are shared out."""

import pytest

from autograder.course.model import Case, Criterion, Step
from autograder.exam.criteria import (
    FORM,
    GRADIENTS,
    UNTOUCHED,
    VALUES,
    criteria_of,
    criterion_of_case,
    problems_of,
    problems_with_names,
)

BATCH = Criterion("batch", 0.2, cases=("batch",))
ORDER = Criterion("order of drawing", 0.25, outputs=("W_query",))


def step(*criteria: Criterion, gradients: bool = True) -> Step:
    """Return a step with criteria."""
    return Step("s", "docs/p.md", 1, "one line", ("hint",), lambda _: (), gradients=gradients, criteria=criteria)


def shares(*criteria: Criterion, gradients: bool = True, tensors: bool = True) -> dict[str, float]:
    """Return the shares of a step's criteria."""
    found = criteria_of(step(*criteria, gradients=gradients), tensors)
    return {one.name: pytest.approx(one.share) for one in found}


def test_every_step_has_side_conditions() -> None:
    assert shares() == {VALUES: 0.65, FORM: 0.15, GRADIENTS: 0.1, UNTOUCHED: 0.1}


def test_what_does_not_apply_has_no_share() -> None:
    assert shares(tensors=False) == {VALUES: 0.85, FORM: 0.15}


def test_values_keep_half_and_side_conditions_shrink() -> None:
    assert shares(BATCH, ORDER) == {
        VALUES: 0.5,
        "batch": 0.2,
        "order of drawing": 0.25,
        FORM: 0.05 * 15 / 35,
        GRADIENTS: 0.05 * 10 / 35,
        UNTOUCHED: 0.05 * 10 / 35,
    }


def test_a_side_condition_may_be_worth_something_else() -> None:
    assert shares(Criterion(FORM, 0.4), gradients=False) == {VALUES: 0.5, FORM: 0.4, UNTOUCHED: 0.1}


WRONG = {
    "gets what the others leave": Criterion(VALUES, 0.1, cases=("batch",)),
    "expected one from 0.05 to 0.25": Criterion("batch", 0.3, cases=("batch",)),
    "expected one from 0.05 to 0.4": Criterion(FORM, 0.5),
    "holds in all cases or not": Criterion(FORM, 0.1, cases=("batch",)),
    "has neither cases nor outputs": Criterion("batch", 0.2),
}


@pytest.mark.parametrize(("told", "criterion"), WRONG.items(), ids=WRONG)
def test_what_cannot_be_shared_out_is_told(told: str, criterion: Criterion) -> None:
    assert [told in problem for problem in problems_of(step(criterion))] == [True]


def test_more_than_half_is_told() -> None:
    more = Criterion("scores of hundreds", 0.25, cases=("large",))
    assert any("more than 50%" in problem for problem in problems_of(step(BATCH, ORDER, more)))


def test_a_name_that_two_criteria_have_is_told() -> None:
    assert list(problems_of(step(BATCH, BATCH))) == ["two criteria have 'batch'; leave it to one"] * 2


def test_a_name_that_is_not_there_is_told() -> None:
    problems = problems_with_names(step(BATCH, ORDER), {"journey": ("result",)})
    assert list(problems) == [
        "criterion 'batch' names the case 'batch'; expected one of: journey",
        "criterion 'order of drawing' names the output 'W_query'; expected one of: result",
    ]


def test_something_is_left_for_the_values() -> None:
    problems = problems_with_names(step(BATCH), {"batch": ("result",)})
    assert list(problems) == ["its criteria name every case or every output; leave one for the values"]


def test_a_repetition_counts_for_the_criterion_of_what_it_repeats() -> None:
    assert criterion_of_case(step(BATCH), Case("in float64", {}, repeats="batch")) == "batch"
    assert criterion_of_case(step(BATCH), Case("in float64", {}, repeats="journey")) == VALUES

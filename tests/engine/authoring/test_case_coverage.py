"""Laws of cases: what cases do not show is named, with what to add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import torch
from command import attn_in
from jaxtyping import Float
from tiny_course import NAME, TinyCourse
from torch import Tensor, nn

from autograder.authoring import case_coverage
from autograder.course.draw import Draw
from autograder.course.model import Case, Part, Step
from autograder.workspace import Workspace

ONE_OF_EVERYTHING = """\
    yield Case("one of everything", {"query": draw.normal(1), "keys": draw.normal(1, 1)})
"""

SCORES_NEVER_ONE = "never 1: `d`, `t`; add a case with size 1, or name in never_one where that is undefined"


def scores(query: Float[Tensor, " d"], keys: Float[Tensor, "t d"]) -> Float[Tensor, " t"]:
    return keys @ query


def power(base: float, exponent: float = 2.0) -> float:
    return base**exponent


class Layer(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_in, d_out))

    def forward(self, x: Float[Tensor, "t d_in"]) -> Float[Tensor, "t d_out"]:
        return x @ self.weight


def run_layer(cls: type[nn.Module], x: Tensor, d_out: int) -> Tensor:
    output: Tensor = cls(x.shape[1], d_out)(x)
    return output


def _broken(
    implementation: Callable[..., Any],
    *inputs: Mapping[str, Any],
    probe: Callable[..., Any] | None = None,
    never_one: tuple[str, ...] = (),
) -> list[str]:
    """Return which laws a step breaks whose cases have these inputs."""

    def cases(_: Draw) -> Iterator[Case]:
        yield from (Case(f"case {number}", one) for number, one in enumerate(inputs))

    step = Step(implementation.__name__, "", 1, "", (), cases, probe, never_one=never_one)
    return list(case_coverage.broken(step, case_coverage.calls_of(Part("part", "Part", (step,)), step, implementation)))


def _scores(t: int, d: int) -> dict[str, Tensor]:
    return {"query": torch.ones(d), "keys": torch.ones(t, d)}


def _layer(t: int, d_in: int, d_out: int) -> dict[str, Any]:
    return {"x": torch.ones(t, d_in), "d_out": d_out}


# Sizes


def test_each_dimension_has_size_1_and_a_size_of_its_own() -> None:
    assert _broken(scores, _scores(1, 1), _scores(3, 4)) == []


def test_a_dimension_that_is_never_1_is_named() -> None:
    assert _broken(scores, _scores(3, 4)) == [SCORES_NEVER_ONE]


def test_a_dimension_that_never_has_a_size_of_its_own_is_named() -> None:
    told = "never of a size that no other dimension has: `d`, `t`; add a case in which all sizes differ"
    assert _broken(scores, _scores(1, 1), _scores(3, 3)) == [told]


def test_a_dimension_for_which_1_is_undefined_may_be_left_out() -> None:
    assert _broken(scores, _scores(1, 2), _scores(3, 4), never_one=("d",)) == []


# Defaults


def test_a_default_is_left_out_and_another_value_is_given() -> None:
    assert _broken(power, {"base": 2.0}, {"base": 2.0, "exponent": 3.0}) == []


def test_a_default_that_is_never_left_out_is_named() -> None:
    told = "`exponent` is always given: add a case that leaves it out, so that its default, 2.0, is looked at"
    assert _broken(power, {"base": 2.0, "exponent": 3.0}) == [told]


@pytest.mark.parametrize("given", [{}, {"exponent": 2.0}])
def test_a_default_for_which_no_other_value_is_given_is_named(given: dict[str, float]) -> None:
    told = "`exponent` is never anything but its default, 2.0: add a case that gives another value"
    assert _broken(power, {"base": 2.0}, {"base": 2.0, **given}) == [told]


# Widths


def test_a_module_is_as_wide_as_its_input_and_is_not() -> None:
    assert _broken(Layer, _layer(1, 1, 1), _layer(2, 3, 4), probe=run_layer) == []


def test_a_module_that_is_never_as_wide_as_its_input_is_named() -> None:
    told = "the output never has the input's shape: add a case with `d_in` = `d_out`, where a residual would fit"
    assert _broken(Layer, _layer(1, 1, 2), _layer(2, 3, 4), probe=run_layer) == [told]


# Courses


def test_a_breach_is_told_with_its_step_and_the_line_of_its_cases(tiny: TinyCourse) -> None:
    tiny.edit(tiny.data, ONE_OF_EVERYTHING, "")
    line = tiny.data.read_text(encoding="utf-8").splitlines().index("def _scores(draw: Draw) -> Iterator[Case]:") + 1
    found = attn_in(tiny.workspace, "verify", "scores", COLUMNS="200")
    assert f"{NAME}.scores: course/{NAME}/steps.py, line {line}: {SCORES_NEVER_ONE}" in " ".join(found.stdout.split())
    assert (found.returncode, found.stderr) == (1, "")


def test_the_course_of_another_topic_keeps_the_laws(convolution: Workspace) -> None:
    assert list(case_coverage.breaches(convolution.course)) == []

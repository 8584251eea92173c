"""The syllabus as plain data: what students see of the course, joined from solutions and course data."""

import json
import subprocess
import sys

import pytest

from autograder.course.model import IDEA, Case, Criterion, Step
from autograder.exam.build import make_syllabus
from autograder.exam.syllabus import (
    FORM,
    VALUES,
    Syllabus,
    criteria_of,
    criterion_of_case,
    from_json,
    to_json,
)
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(convolution: Workspace) -> Syllabus:
    return make_syllabus(convolution.course)


def test_json_is_read_as_it_was_written(syllabus: Syllabus) -> None:
    assert from_json(to_json(syllabus)) == syllabus


def test_the_lecture_of_a_step_is_a_page_and_an_anchor(syllabus: Syllabus) -> None:
    assert syllabus.part("part2_network").step("Conv2d").lecture == "docs/convolution.md#conv2d"


def test_what_a_probe_returns_has_the_names_of_the_course_data(syllabus: Syllabus) -> None:
    step = syllabus.part("part2_network").step("train_step")
    assert step.returns == {"losses": "steps", "weight afterwards": "d classes", "bias afterwards": "classes"}


@pytest.mark.parametrize("schema", ["attn-syllabus/3", "attn-exam/1", None])
def test_another_schema_is_refused_by_name(syllabus: Syllabus, schema: str | None) -> None:
    data = json.loads(to_json(syllabus)) | {"schema": schema}
    with pytest.raises(ValueError, match=r"it is no syllabus \(.*- at `\$\.schema`"):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        "no syllabus",
        "[]",
        "[" * 100_000,
        '{"schema": "attn-syllabus/2"}',
        '{"schema": "attn-syllabus/2", "parts": [{}]}',
        '{"schema": "attn-syllabus/2", "parts":' + "[" * 100_000,
    ],
)
def test_what_has_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is no syllabus"):
        from_json(text)


@pytest.mark.parametrize("name", ["../../outside", "/tmp/part", "a/b", "a.b", "C:part", "part\n", "", "1part", "a b"])
@pytest.mark.parametrize("of", ["part", "step"])
def test_a_name_that_is_a_path_is_refused(syllabus: Syllabus, of: str, name: str) -> None:
    data = json.loads(to_json(syllabus))
    part = data["parts"][0]
    (part if of == "part" else part["steps"][0])["name"] = name
    for step in part["steps"]:
        step["part"] = part["name"]

    with pytest.raises(ValueError, match="matching regex"):
        from_json(json.dumps(data))


def test_a_syllabus_and_an_exam_are_read_without_torch(convolution: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from autograder.exam.files import read_exam; "
        f"read_exam(Path({str(convolution.practice_exam)!r})); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# How the points of a step are shared out

BATCH = Criterion("batch", cases=("batch",))
LOOP = Criterion("a loop", IDEA, outputs=("loops",))


def step(*criteria: Criterion) -> Step:
    """Return a step with criteria."""
    return Step("s", "docs/p.md", 1, "one line", ("hint",), lambda _: (), criteria=criteria)


SHARES = {
    "without an author's": (step(), {VALUES: 0.875, FORM: 0.125}),
    "two of an author's": (
        step(BATCH, Criterion("scaling")),
        {VALUES: 0.475, "batch": 0.2, "scaling": 0.2, FORM: 0.125},
    ),
    "the idea": (step(LOOP), {VALUES: 0.375, "a loop": 0.5, FORM: 0.125}),
    "no form": (step(Criterion(FORM, 0)), {VALUES: 1.0}),
    "another share of the form": (step(Criterion(FORM, 0.4)), {VALUES: 0.6, FORM: 0.4}),
}


@pytest.mark.parametrize(("step", "shares"), SHARES.values(), ids=SHARES)
def test_shares_add_up_to_one(step: Step, shares: dict[str, float]) -> None:
    assert {one.name: one.share for one in criteria_of(step, {})} == pytest.approx(shares)


def test_a_repetition_counts_for_the_criterion_of_its_case() -> None:
    assert criterion_of_case(step(BATCH), Case("in float64", {}, repeats="batch")) == "batch"
    assert criterion_of_case(step(BATCH), Case("in float64", {}, repeats="journey")) == VALUES

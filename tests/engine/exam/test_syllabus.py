"""The syllabus as plain data: what students see of the course, joined from solutions and course data."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.exam.build import make_syllabus
from autograder.exam.syllabus import Syllabus, from_json, load, to_json
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(convolution: Workspace) -> Syllabus:
    return make_syllabus(convolution.course)


def test_json_is_read_as_it_was_written(syllabus: Syllabus) -> None:
    assert from_json(to_json(syllabus)) == syllabus


def test_a_file_is_read_as_it_was_written(syllabus: Syllabus, tmp_path: Path) -> None:
    path = tmp_path / "syllabus.json"
    path.write_text(to_json(syllabus), encoding="utf-8")
    assert load(path) == syllabus


def test_the_steps_of_every_part_are_numbered_from_1(syllabus: Syllabus) -> None:
    for part in syllabus.parts:
        assert [step.number for step in part.steps] == list(range(1, len(part.steps) + 1))


def test_the_points_of_a_part_are_those_of_its_steps(syllabus: Syllabus) -> None:
    assert [part.points for part in syllabus.parts] == [20.0, 20.0]


def test_the_lecture_of_a_step_is_a_page_and_an_anchor(syllabus: Syllabus) -> None:
    assert syllabus.part("part2_network").step("Conv2d").lecture == "docs/convolution.md#conv2d"


def test_what_a_probe_returns_has_the_names_of_the_course_data(syllabus: Syllabus) -> None:
    step = syllabus.part("part2_network").step("train_step")
    assert step.returns == {"losses": "steps", "weight afterwards": "d classes", "bias afterwards": "classes"}


def test_an_unknown_part_is_a_key_error(syllabus: Syllabus) -> None:
    with pytest.raises(KeyError, match="part9"):
        syllabus.part("part9")


def test_an_unknown_step_is_a_key_error(syllabus: Syllabus) -> None:
    with pytest.raises(KeyError, match="tokenize"):
        syllabus.part("part1_convolution").step("tokenize")


@pytest.mark.parametrize("schema", ["attn-syllabus/3", "attn-exam/1", None])
def test_another_schema_is_refused_by_name(syllabus: Syllabus, schema: str | None) -> None:
    data = json.loads(to_json(syllabus)) | {"schema": schema}
    with pytest.raises(ValueError, match=rf"expected a syllabus of schema attn-syllabus/2, found {schema!r}"):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"schema": "attn-syllabus/2"}', '{"schema": "attn-syllabus/2", "parts": [{}]}']
)
def test_what_has_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is no syllabus"):
        from_json(text)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        from_json("no syllabus")


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


@pytest.mark.parametrize("control", ["\x1b[2J", "\r", "\b", "\x00", "\x7f", "\x9b2J", "\u202e", "\u2066"])
@pytest.mark.parametrize("field", ["summary", "docstring", "effort", "signature", "lecture"])
def test_a_text_that_could_do_something_to_a_terminal_is_refused(syllabus: Syllabus, field: str, control: str) -> None:
    data = json.loads(to_json(syllabus))
    data["parts"][0]["steps"][0][field] += control

    with pytest.raises(ValueError, match="matching regex"):
        from_json(json.dumps(data))


def test_a_step_in_another_part_than_its_own_is_refused(syllabus: Syllabus) -> None:
    data = json.loads(to_json(syllabus))
    data["parts"][0]["steps"][0]["part"] = "part2_network"

    with pytest.raises(ValueError, match=r"part2_network\.\w+ is a step of part1_convolution"):
        from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"schema": "attn-syllabus/2", "parts":' + "[" * 100_000])
def test_what_is_nested_without_end_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="syllabus"):
        from_json(text)


def test_a_syllabus_and_an_exam_are_read_without_torch(convolution: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from autograder.exam.files import read_exam; "
        f"read_exam(Path({str(convolution.practice_exam)!r})); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The reference's flows: made of the real course, kept as names and shapes."""

import re
from pathlib import Path
from unittest import mock

import pytest

from autograder.course import parts
from autograder.course.flow import Flow
from autograder.course.parts import NAMES
from autograder.exam.flows import ReferenceFlow, load, to_json
from autograder.exam.model import Exam, Paper
from autograder.exam.parting import find_parting
from autograder.exam.setting_flows import set_flows
from autograder.publishing.alternatives import read
from autograder.sitting.follower import Follower
from autograder.sitting.submission import Source
from autograder.workspace import Workspace

NAME = re.compile(r"(return )?[\w.<>]+")


@pytest.fixture(scope="module")
def flows(course: Workspace) -> dict[str, ReferenceFlow]:
    """The flows of the whole course, as they were last set; `attn verify` says where they no longer are those of the reference."""
    return load(course.shapes)


@pytest.fixture(scope="module")
def just_set(course: Workspace, practice: Exam) -> dict[str, ReferenceFlow]:
    """The flows of one part."""
    with mock.patch.object(parts, "NAMES", ("part2_trainable",)):
        return set_flows(course.solutions, practice.paper)


def test_every_step_has_the_flow_of_each_case_that_its_author_wrote(
    flows: dict[str, ReferenceFlow], practice: Exam
) -> None:
    assert {".".join(path.split(".")[:2]) for path in flows} == {step.path for step in practice.syllabus.steps}
    assert "part1_simplified.softmax.batch of rows" in flows


def test_a_flow_holds_names_and_shapes_alone(flows: dict[str, ReferenceFlow]) -> None:
    names = {name for flow in flows.values() for name in flow.named}

    assert {name for name in names if not NAME.fullmatch(name)} == set()


def test_the_shapes_are_those_of_the_case(just_set: dict[str, ReferenceFlow]) -> None:
    flow = just_set["part2_trainable.scaled_dot_product_attention.wars"]

    assert (flow.named["scores"], flow.outputs) == (((5, 5),), {"result": (5, 2)})


def test_flows_survive_their_file(just_set: dict[str, ReferenceFlow], tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    path.write_text(to_json(just_set), encoding="utf-8")

    assert load(path) == just_set


def test_a_part_is_followed_the_same_whatever_other_parts_there_are(
    flows: dict[str, ReferenceFlow], just_set: dict[str, ReferenceFlow]
) -> None:
    assert just_set == {path: flow for path, flow in flows.items() if path.startswith("part2_trainable.")}


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    path.write_text('{"schema": "attn-syllabus/1"}', encoding="utf-8")

    with pytest.raises(ValueError, match="expected flows of schema attn-shapes/1"):
        load(path)


def _follow(practice: Exam, flows: dict[str, ReferenceFlow], step: str, text: str) -> list[str]:
    """Return the first cases of a step in which a module's text parts from the reference."""
    part, _, name = step.partition(".")
    modules = {part: Source.module(f"own/{part}.py", text)}
    cases = tuple(case for case in practice.paper.of(part, frozenset({name})) if case.path in flows)[:2]
    late: list[Flow] = []
    followed = list(Follower(Paper(cases), modules, 30.0, late.append).flows())
    assert late == []
    return [case.path for case, flow in zip(cases, followed, strict=True) if find_parting(flow, flows[case.path])]


@pytest.mark.slow
@pytest.mark.parametrize("part", NAMES)
def test_no_solution_parts_from_the_reference(
    part: str, course: Workspace, practice: Exam, flows: dict[str, ReferenceFlow]
) -> None:
    steps = practice.syllabus.part(part).steps
    text = (course.solutions / f"{part}.py").read_text(encoding="utf-8")

    assert [path for step in steps for path in _follow(practice, flows, step.path, text)] == []


ALTERNATIVES = [
    one
    for part in NAMES
    for one in read(Workspace(Path(__file__).parents[2]).solutions / "alternatives" / f"{part}.py")
]


@pytest.mark.slow
@pytest.mark.parametrize("step", sorted({f"{one.part}.{one.step}" for one in ALTERNATIVES}))
def test_no_other_correct_way_parts_from_the_reference(
    step: str, practice: Exam, flows: dict[str, ReferenceFlow]
) -> None:
    ways = [one for one in ALTERNATIVES if f"{one.part}.{one.step}" == step]

    assert [way.label for way in ways if _follow(practice, flows, step, way.text)] == []

"""The syllabus: what the course consists of, as plain data that the command line reads without torch."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec

from autograder.course.model import NO_WORDS, SINGLE, Criterion, Name, Text, Words
from autograder.course.shapes import LEADING

SCHEMA = "attn-syllabus/2"


@dataclass(frozen=True)
class SyllabusStep:
    """One step as students see it.

    lecture: the page and the anchor that teach it. criteria: what its points are given for, its values first.
    """

    part: Name
    name: Name
    number: int
    kind: Text
    signature: Text
    summary: Text
    docstring: Text
    points: float
    effort: Text
    hints: tuple[Text, ...]
    lecture: Text
    arguments: dict[Text, Text]
    returns: dict[Text, Text]
    gradients: bool
    forbids: tuple[Text, ...]
    criteria: tuple[Criterion, ...]

    @property
    def path(self) -> str:
        """The name by which the command line knows the step: `part.step`."""
        return f"{self.part}.{self.name}"

    def dims_of(self, output: str) -> str:
        """Return the dimensions of an output; one of several has its number as its name."""
        names = list(self.returns.values())
        if output.isdecimal() and int(output) < len(names):
            return names[int(output)]
        return self.returns.get(output, "...")

    def title_of(self, output: str) -> str:
        """How a message names an output; empty if there is only one."""
        names = list(self.returns)
        if output.isdecimal() and int(output) < len(names):
            return names[int(output)]
        return "" if output == SINGLE else output

    @property
    def answer_cell(self) -> str:
        """The `grade_id` of the cell of a notebook in which students write this step."""
        return self.name

    @property
    def test_cell(self) -> str:
        """The `grade_id` of the cell of a notebook that marks this step."""
        return f"test_{self.name}"


@dataclass(frozen=True)
class SyllabusPart:
    """One part: its steps, and the stub that students start from."""

    name: Name
    title: Text
    stub: Text
    steps: Annotated[tuple[SyllabusStep, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        if other := next((step.path for step in self.steps if step.part != self.name), ""):
            raise ValueError(f"{other} is a step of {self.name}")

    @property
    def points(self) -> float:
        """The points of all steps together."""
        return sum(step.points for step in self.steps)

    def step(self, name: str) -> SyllabusStep:
        """Return the step of that name. Raises KeyError."""
        return {step.name: step for step in self.steps}[name]


@dataclass(frozen=True)
class Syllabus:
    """All parts of the course, in order, and its words for slices along dimensions."""

    parts: Annotated[tuple[SyllabusPart, ...], msgspec.Meta(min_length=1)]
    words: Words = NO_WORDS

    @property
    def steps(self) -> tuple[SyllabusStep, ...]:
        """All steps of all parts, in order."""
        return tuple(step for part in self.parts for step in part.steps)

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """The names of the dimensions of all that steps take and return."""
        written = (dims for step in self.steps for dims in (*step.arguments.values(), *step.returns.values()))
        return frozenset(name for dims in written for name in dims.split()) - {LEADING}

    def part_meant(self, name: str) -> SyllabusPart | None:
        """Return the part of that name, number or beginning (`part2_network`, `2`, `part2`), None if there is none."""
        for number, part in enumerate(self.parts, start=1):
            if name and (name in (part.name, str(number)) or part.name.startswith(f"{name}_")):
                return part
        return None

    def part(self, name: str) -> SyllabusPart:
        """Return the part of that name. Raises KeyError."""
        return {part.name: part for part in self.parts}[name]


def by_part(steps: Iterable[SyllabusStep]) -> dict[str, frozenset[str]]:
    """Return the names of steps by the names of their parts, in order."""
    names: dict[str, frozenset[str]] = {}
    for step in steps:
        names[step.part] = names.get(step.part, frozenset()) | {step.name}
    return names


def to_json(syllabus: Syllabus) -> str:
    """Return the syllabus as JSON text."""
    return json.dumps({"schema": SCHEMA} | asdict(syllabus), indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> Syllabus:
    """Read a syllabus from JSON text. Raises ValueError for any other text."""
    try:
        data = msgspec.json.decode(text, type=dict[str, Any])
        if data.get("schema") != SCHEMA:
            raise ValueError(f"expected a syllabus of schema {SCHEMA}, found {data.get('schema')!r}")
        return msgspec.convert(data, Syllabus)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"it is no syllabus ({error})") from error


def load(path: Path) -> Syllabus:
    """Read the syllabus file. Raises OSError, and ValueError if it is not one."""
    return from_json(path.read_text(encoding="utf-8"))

"""The syllabus: parts, steps and what their points are given for, as plain data that the command line reads without torch."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec

from autograder.course.model import NO_WORDS, SINGLE, Case, Criterion, Name, Step, Text, Words
from autograder.course.shapes import LEADING

SCHEMA = "attn-syllabus/2"

VALUES = "values"
FORM = "shape and dtype"
GRADIENTS = "gradients"
UNTOUCHED = "inputs untouched"

SIDE_CONDITIONS = {FORM: 0.15, GRADIENTS: 0.1, UNTOUCHED: 0.1}
"""The shares of what every step has to keep beside its values. Those that an author does not set shrink where there is no room for them."""

HINTS = {
    FORM: "Print the shape and the dtype of what you return beside those in the docstring: the numbers are right.",
    GRADIENTS: "The numbers are right, but no gradient comes back through them: look for `.item()`, `.detach()`, `float(...)`, "
    "`torch.tensor(...)` of a tensor, or a way through NumPy.",
    UNTOUCHED: "The numbers are right, but the argument is another one afterwards. `+=`, `x[...] = ...` and methods that end in `_` change "
    "the tensor that they are given: make another one.",
}
"""What is hinted at where a side condition is lost alone."""

AT_LEAST_FOR_VALUES = 0.5


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


def criteria_of(step: Step, takes_tensors: bool, hints: Mapping[str, str] | None = None) -> tuple[Criterion, ...]:
    """Return all criteria of a step, its values first. Their shares add up to 1.

    takes_tensors: whether it is given any: else there are no gradients to compare, and nothing to write into.
    hints: the course's own, by name.
    """
    hinted = HINTS | dict(hints or {})
    set_ones = {criterion.name for criterion in step.criteria}
    kept = {FORM: True, GRADIENTS: step.gradients and takes_tensors, UNTOUCHED: takes_tensors}
    usual = {name: share for name, share in SIDE_CONDITIONS.items() if kept[name] and name not in set_ones}
    room = 1 - AT_LEAST_FOR_VALUES - sum(criterion.share for criterion in step.criteria)
    shrunk = min(1.0, max(room, 0.0) / sum(usual.values())) if usual else 1.0
    beside = (*step.criteria, *(Criterion(name, share * shrunk) for name, share in usual.items() if shrunk))
    values = Criterion(VALUES, 1 - sum(criterion.share for criterion in beside))
    return values, *(replace(criterion, hint=hinted.get(criterion.name, "")) for criterion in beside)


def criterion_of_case(step: Step, case: Case) -> str:
    """Return the criterion to which a case belongs: that which names it, or else the one of which it is a repetition."""
    for name in (case.name, case.repeats):
        for criterion in step.criteria:
            if name in criterion.cases:
                return criterion.name
    return VALUES


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

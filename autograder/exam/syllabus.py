"""The syllabus as plain data: parts, steps and criteria. Reading it does not need torch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec

from autograder.course.model import NO_WORDS, SINGLE, Case, Criterion, Name, NonEmpty, Step, Text, Words
from autograder.course.shapes import LEADING

VALUES = "values"
FORM = "form"
"""The criterion of shape, dtype, gradients and untouched arguments."""

SHARE_OF_FORM = 0.125

HINTS = {
    "values": "The numbers are right. Compare types, and what happens to the arguments, with the docstring.",
    "shape": "Print the shape and the dtype of what you return beside those in the docstring: the numbers are right.",
    "gradients": "The numbers are right, but no gradient comes back through them: look for `.item()`, `.detach()`, `float(...)`, "
    "`torch.tensor(...)` of a tensor, or a way through NumPy.",
    "inplace": "The gradients need a tensor that is written into afterwards. `+=`, `x[...] = ...` and methods that end in `_` write into one.",
    "inputs_untouched": "The numbers are right, but the argument is another one afterwards. `+=`, `x[...] = ...` and methods that end in `_` change "
    "the tensor that they are given: make another one.",
}
"""The hint for FORM, by the id of the cause or the name of the failed check; `dtype` has that of `shape`."""

AT_LEAST_FOR_VALUES = 0.25


@dataclass(frozen=True)
class SyllabusStep:
    """A step as students see it.

    kind: `function` or `class`. lecture: the page and the anchor that teach the step.
    arguments, returns: the dimensions of each tensor, by name.
    criteria: the criteria that share the points; the criterion `values` is the first.
    """

    part: Name
    name: Name
    number: int
    kind: Text
    signature: Text
    docstring: Text
    points: Annotated[float, msgspec.Meta(ge=0)]
    effort: Text
    hints: Annotated[tuple[NonEmpty, ...], msgspec.Meta(min_length=2, max_length=3)]
    lecture: Text
    arguments: dict[Text, Text]
    returns: dict[Text, Text]
    gradients: bool
    forbids: tuple[Name, ...]
    criteria: tuple[Criterion, ...]

    @property
    def path(self) -> str:
        """The path of the step on the command line: `part.step`."""
        return f"{self.part}.{self.name}"

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.docstring.partition("\n\n")[0].split())

    def title_of(self, output: str) -> str:
        """Return the name of an output for messages; empty for the only output of a step.

        output: the name of the output, or its number if the step returns several tensors.
        """
        names = list(self.returns)
        if output.isdecimal() and int(output) < len(names):
            return names[int(output)]
        return "" if output == SINGLE else output

    def dims_of(self, output: str) -> str:
        """Return the dimensions of an output; `...` if they are unknown."""
        return self.returns.get(self.title_of(output) or output, "...")

    @property
    def test_cell(self) -> str:
        """The `grade_id` of the notebook cell that grades the step."""
        return f"test_{self.name}"


@dataclass(frozen=True)
class SyllabusPart:
    """A part of the course. stub: the source code that students start from."""

    name: Name
    title: Text
    stub: Text
    steps: Annotated[tuple[SyllabusStep, ...], msgspec.Meta(min_length=1)]

    @property
    def points(self) -> float:
        """The sum of the points of all steps."""
        return sum(step.points for step in self.steps)

    def step(self, name: str) -> SyllabusStep:
        """Return the step with this name. Raises KeyError."""
        return {step.name: step for step in self.steps}[name]


@dataclass(frozen=True)
class Syllabus:
    """All parts of the course, in order. words: the course's words for slices of tensors."""

    parts: tuple[SyllabusPart, ...]
    words: Words = NO_WORDS

    @property
    def steps(self) -> tuple[SyllabusStep, ...]:
        """The steps of all parts, in order."""
        return tuple(step for part in self.parts for step in part.steps)

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """The names of the dimensions of all tensors that steps take or return."""
        written = (dims for step in self.steps for dims in (*step.arguments.values(), *step.returns.values()))
        return frozenset(name for dims in written for name in dims.split()) - {LEADING}

    def part_meant(self, name: str) -> SyllabusPart | None:
        """Return the part with this name, number or first word: `part2_network`, `2`, `part2`; or None."""
        for number, part in enumerate(self.parts, start=1):
            if name and (name in (part.name, str(number)) or part.name.startswith(f"{name}_")):
                return part
        return None

    def part(self, name: str) -> SyllabusPart:
        """Return the part with this name. Raises KeyError."""
        return {part.name: part for part in self.parts}[name]


def criteria_of(step: Step, hints: Mapping[str, str]) -> tuple[Criterion, ...]:
    """Return all criteria of a step: VALUES, the author's, and FORM unless its share is 0.

    hints: the course's hints, by criterion name. Raises ValueError if VALUES has too small a share.
    """
    own = {criterion.name: criterion for criterion in step.criteria}
    beside = [one for one in ({FORM: Criterion(FORM, SHARE_OF_FORM)} | own).values() if one.share]
    beside.sort(key=lambda one: one.name == FORM)
    values = Criterion(VALUES, 1 - sum(criterion.share for criterion in beside))
    if values.share < AT_LEAST_FOR_VALUES:
        raise ValueError(f"its criteria leave less than {AT_LEAST_FOR_VALUES:.0%} of the points for `{VALUES}`")
    texts = {FORM: HINTS["shape"], **hints}
    return values, *(replace(criterion, hint=texts.get(criterion.name, "")) for criterion in beside)


def criterion_of_case(step: Step, case: Case) -> str:
    """Return the criterion that lists a case, or the case that it repeats; else `values`."""
    names = case.name, case.repeats
    return next((one.name for name in names for one in step.criteria if name in one.cases), VALUES)


def by_part(steps: Iterable[SyllabusStep]) -> dict[str, frozenset[str]]:
    """Return the names of steps, grouped by the name of their part, in order."""
    names: dict[str, frozenset[str]] = {}
    for step in steps:
        names[step.part] = names.get(step.part, frozenset()) | {step.name}
    return names


class _File(msgspec.Struct, tag_field="schema", tag="attn-syllabus/2"):
    parts: Annotated[tuple[SyllabusPart, ...], msgspec.Meta(min_length=1)]
    words: Words = NO_WORDS


def to_json(syllabus: Syllabus) -> str:
    """Return a syllabus as JSON."""
    text = msgspec.json.encode(_File(syllabus.parts, syllabus.words))
    return msgspec.json.format(text, indent=1).decode() + "\n"


def from_json(text: str) -> Syllabus:
    """Read a syllabus from JSON. Raises ValueError for invalid text."""
    try:
        file = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"it is no syllabus ({error})") from error
    return Syllabus(file.parts, file.words)


def load(path: Path) -> Syllabus:
    """Read a syllabus from a JSON file. Raises OSError, and ValueError for invalid content."""
    return from_json(path.read_text(encoding="utf-8"))

"""The data of a course: Part, Step, Case, Mistake. This module does not import torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from autograder.course.answer import Judge
    from autograder.course.draw import Draw
    from autograder.course.tolerances import Tolerance

    Input = Tensor | int | float | bool
    Probe = Callable[..., Any]
from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[^\W\d]\w*\Z")]
"""A Python identifier. Names become parts of file paths, so they must not contain a separator."""

CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters except newline and tab, and marks of text direction, for a pattern `[...]`."""

Text = Annotated[str, msgspec.Meta(pattern=rf"^[^{CONTROLS}]*\Z")]
"""A text without control characters, except newlines and tabs."""

NonEmpty = Annotated[str, msgspec.Meta(pattern=rf"^(?=[^{CONTROLS}]*\Z)\s*\S")]
"""A Text that is not only whitespace."""

SINGLE = "result"
"""The name of the output of an implementation that returns one value."""


@dataclass(frozen=True)
class Words:
    """The nouns for slices of tensors. slices: the noun for a dimension, such as `{"h": "head"}`."""

    slices: Mapping[Text, Text] = field(default_factory=dict)

    def along(self, dims: Iterable[str]) -> tuple[str, ...]:
        """Return the noun for a slice along each dimension; `""` for a dimension without a noun."""
        return tuple(self.slices.get(name, "") for name in dims)


NO_WORDS = Words()


@dataclass(frozen=True)
class Case:
    """One set of inputs for one step.

    inputs: the arguments of the probe or implementation, by name, in the implementation's order.
    tolerance: the tolerance for the values of this case; if None, the default, TOLERANCE.
    labels: titles of slices in pictures, by the noun for a slice: `{"digit": ("zero", "one")}`.
    repeats: the name of the author's case from which this case is made; empty for an author's case.
    """

    name: str
    inputs: Mapping[str, Input]
    tolerance: Tolerance | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repeats: str = ""


USUAL, IDEA = 0.2, 0.5
"""The share of a criterion that is one of several, and of the one that is the idea of a step."""


@dataclass(frozen=True)
class Criterion:
    """A requirement on a step, which earns its points if it is met, else none.

    name: text for students, such as `batch`. share: its fraction of the step's points, rounded to
        whole or half points; IDEA if the step has not been understood without it.
    cases, outputs: the names of the cases and the outputs that must be right.
    hint: text shown if values are right and this criterion fails; from `[hints]` in course.toml.
    """

    name: Text
    share: float = USUAL
    cases: tuple[Text, ...] = ()
    outputs: tuple[Text, ...] = ()
    hint: Text = ""


@dataclass(frozen=True)
class Step:
    """One exercise: a function or class that the student writes.

    lecture: the page that teaches the step; the section's anchor is the step's name in lower case.
    points: of a right step. effort: the amount of code, in words. hints: texts, the vaguest first.
    cases: a function that draws the cases; another seed gives other values of the same shapes.
    probe: a function that calls an implementation on a case's inputs and returns the outputs to
        compare; None if the implementation is called directly, with the inputs in order.
    returns: the dimensions of each output, by name; by default those that the reference annotates.
    gradients: whether to compare the gradients with respect to float inputs and parameters.
    forbids: the names of torch functions that the step may not use, besides those that the whole
        course forbids.
    criteria: the author's criteria. Every step also has others, such as values and gradients.
    never_one: the names of dimensions that cannot have size 1.
    judge: turns outputs of the probe into outputs to compare; set by `Course.part`; None if unused.
    """

    name: str
    lecture: str
    points: float
    effort: str
    hints: tuple[str, ...]
    cases: Callable[[Draw], Iterable[Case]]
    probe: Probe | None = None
    returns: Mapping[str, str] = field(default_factory=dict)
    gradients: bool = True
    forbids: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    never_one: tuple[str, ...] = ()
    judge: Judge | None = None


@dataclass(frozen=True)
class Part:
    """A module that students write. name: the module's name. title: the heading for students."""

    name: str
    title: str
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """Return the step with this name. Raises KeyError."""
        return {step.name: step for step in self.steps}[name]


@dataclass(frozen=True)
class Mistake:
    """A known wrong implementation of a step. says: a teacher's explanation of the mistake."""

    step: str
    id: str
    says: str
    implementation: Callable[..., Any]


class Mistakes:
    """A base class. A subclass with the name of a step holds the known mistakes of the step.

    Each function and class in the subclass is a wrong implementation. Its name is the id of the
    mistake. Its docstring is a teacher's explanation of the mistake.
    """


def mistakes_in(module: ModuleType) -> Iterator[Mistake]:
    """Yield the mistakes in the subclasses of Mistakes that a module defines, in order."""
    for step in vars(module).values():
        if isinstance(step, type) and step.__base__ is Mistakes:
            for name, implementation in vars(step).items():
                if not name.startswith("__"):
                    says = " ".join((implementation.__doc__ or "").split())
                    yield Mistake(step.__name__, name, says, implementation)

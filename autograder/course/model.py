"""The course as data: Part, Step, Case, Mistake. Nothing here needs torch to be imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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
"""A name of Python's: no path, whatever folder it is put behind."""

CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""For a pattern: characters that command a terminal or turn a line; no line ends, no tabs."""

Text = Annotated[str, msgspec.Meta(pattern=rf"^[^{CONTROLS}]*\Z")]
"""A text without control characters; newlines and tabs may be in it."""

NonEmpty = Annotated[str, msgspec.Meta(pattern=rf"^(?=[^{CONTROLS}]*\Z)\s*\S")]
"""Such a text that says something."""

SINGLE = "result"
"""The name of the output of an implementation that returns one thing."""


@dataclass(frozen=True)
class Words:
    """A course's words for a slice along a dimension, by its name: `{"h": "head"}`."""

    slices: Mapping[Text, Text] = field(default_factory=dict)

    def along(self, dims: Iterable[str]) -> tuple[str, ...]:
        """Return the word for a slice along each dimension; empty where there is none."""
        return tuple(self.slices.get(name, "") for name in dims)


NO_WORDS = Words()
"""Those of a course that has none."""


@dataclass(frozen=True)
class Case:
    """One set of inputs for one step.

    inputs: the arguments of the probe, by name, in the order of the implementation's own.
    labels: names of slices in pictures, by the course's word for one: `{"digit": ("zero", "one")}`.
    repeats: for a case that the exam adds, the name of the author's case that it repeats.
    """

    name: str
    inputs: Mapping[str, Input]
    tolerance: Tolerance | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repeats: str = ""


@dataclass(frozen=True)
class Criterion:
    """A side condition of a step, for a share of its points.

    name: as students read it: `batch`. share: of the step's points, from 0.05 to 0.25.
    cases: the names of those that belong to it. outputs: likewise, in any case.
    hint: for who has lost it though the values are right; the course has one for each name.
    """

    name: Text
    share: float
    cases: tuple[Text, ...] = ()
    outputs: tuple[Text, ...] = ()
    hint: Text = ""


@dataclass(frozen=True)
class Step:
    """One exercise: a function or class that the student writes.

    lecture: the page that teaches it; the section's anchor is the step's name in lower case.
    points: what it is worth. effort: how much there is to write, in words.
    hints: each closer to the answer.
    cases: draws the inputs; called again with another seed for fresh numbers of the same shapes.
    probe: runs an implementation on a case's inputs and returns what is compared; None calls it with the inputs in order.
    returns: the dimensions of each output by name, if the reference's annotation does not say (tuples, probes).
    gradients: whether the gradients with respect to float inputs and parameters are compared.
    forbids: names of torch's own functions that would make the exercise pointless, or the beginnings of such names; those of
        the whole course come on top.
    criteria: what else than its values earns a share of the points, beyond the side conditions that every step has.
    never_one: dimensions of arguments for which size 1 is undefined.
    judge: finds in the numbers of the probe what is compared, where whoever marks does; the course has it by the step's path.
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
    """One module of the course."""

    name: str
    title: str
    steps: tuple[Step, ...]

    def step(self, name: str) -> Step:
        """Return the step of that name. Raises KeyError."""
        return {step.name: step for step in self.steps}[name]


@dataclass(frozen=True)
class Mistake:
    """A known wrong implementation of a step, and what a teacher would say about it."""

    step: str
    id: str
    says: str
    implementation: Callable[..., Any]


class MistakeBank:
    """The known mistakes of one part, collected by decorating the wrong implementations."""

    def __init__(self) -> None:
        self.mistakes: list[Mistake] = []

    def of(self, step: str, says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter the decorated function or class as a mistake of `step`, its name as the id."""

        def enter(implementation: Callable[..., Any]) -> Callable[..., Any]:
            self.mistakes.append(Mistake(step, implementation.__name__, says, implementation))
            return implementation

        return enter

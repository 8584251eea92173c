"""A course of one small part, in files as an author writes them, to be spoilt by one edit at a time."""

from pathlib import Path

from autograder.exam.model import Exam
from autograder.exam.setting import set_exam

NAME = "part0_tiny"

SOLUTION = '''\
"""Part 0: tiny."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn


def scores(
    query: Float[Tensor, " d"], keys: Float[Tensor, "t d"]
) -> Float[Tensor, " t"]:
    """Return the scores."""
    ### BEGIN SOLUTION
    # TODO 1: products.
    return keys @ query
    ### END SOLUTION


class Scale(nn.Module):
    """Scale."""

    def forward(self, x: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
        """Return half of x."""
        ### BEGIN SOLUTION
        # TODO 2: halve.
        return x / 2
        ### END SOLUTION
'''

DATA = '''\
"""Part 0."""

from collections.abc import Iterator

from torch import Tensor, nn

from autograder.course.draw import Draw
from autograder.course.model import Case, Part, Step

PAGE = "docs/lectures/tiny.md"


def _scores(draw: Draw) -> Iterator[Case]:
    yield Case("random", {"query": draw.normal(3), "keys": draw.normal(4, 3)})
    yield Case("square", {"query": draw.normal(3), "keys": draw.normal(3, 3)})


def run_scale(cls: type[nn.Module], x: Tensor) -> Tensor:
    return cls()(x)


def _scale(draw: Draw) -> Iterator[Case]:
    yield Case("batch", {"x": draw.normal(4, 3)})


PART = Part(
    name="part0_tiny",
    title="Tiny",
    steps=(
        Step(name="scores", lecture=PAGE, points=2, effort="one line", hints=("Multiply.", "`@`"), cases=_scores),
        Step(name="Scale", lecture=PAGE, points=3, effort="a line", hints=("Half.", "/ 2"), cases=_scale, probe=run_scale),
    ),
)
'''

MISTAKES = '''\
"""Known mistakes of part 0."""

from torch import Tensor

from autograder.course.model import MistakeBank

BANK = MistakeBank()


@BANK.of("scores", "You add.")
def added(query: Tensor, keys: Tensor) -> Tensor:
    return (keys + query).sum(dim=-1)


@BANK.of("scores", "You double.")
def doubled(query: Tensor, keys: Tensor) -> Tensor:
    return 2 * keys @ query
'''


class TinyCourse:
    """The files of a course of one part: reference, data and known mistakes."""

    def __init__(self, folder: Path) -> None:
        self.solutions = folder / "solutions"
        self.reference = self.solutions / f"{NAME}.py"
        self.data = folder / "parts" / f"{NAME}.py"
        self.mistakes = folder / "mistakes" / f"{NAME}.py"
        for path, text in ((self.reference, SOLUTION), (self.data, DATA), (self.mistakes, MISTAKES)):
            path.parent.mkdir()
            path.write_text(text, encoding="utf-8")

    def edit(self, path: Path, old: str, new: str) -> int:
        """Write something else in one place; return the number of its line."""
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    def set_exam(self) -> Exam:
        return set_exam(self.solutions, seed=1)

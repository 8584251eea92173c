"""A course of one small part, in files as an author writes them, to be spoilt by one edit at a time.

After `tiny.make()` it is a whole checkout, in which verbs run as in any other: `attn_in(tiny.workspace, "verify", "--full")` finds it
sound. The warm processes of the tests sit it, but for those that a sandbox confines: they see the course that they started with.
"""

import shutil
from pathlib import Path

from autograder.authoring import sync, trial
from autograder.course import course
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace

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
    yield Case("smallest input", {"query": draw.normal(1), "keys": draw.normal(1, 1)})


def run_scale(cls: type[nn.Module], x: Tensor) -> Tensor:
    return cls()(x)


def _scale(draw: Draw) -> Iterator[Case]:
    yield Case("batch", {"x": draw.normal(4, 3)})


PART = Part(
    name="part0_tiny",
    title="Tiny",
    steps=(
        Step(name="scores", lecture=PAGE, points=2, effort="one line", hints=("Multiply.", "`@`"), cases=_scores),
        Step(name="Scale", lecture=PAGE, points=3, effort="a line", hints=("Half.", "/ 2"), never_one=("t", "d"),
             cases=_scale, probe=run_scale),
    ),
)
'''

MISTAKES = '''\
"""Known mistakes of part 0."""

from torch import Tensor, nn

from autograder.course.model import Mistakes


class scores(Mistakes):
    def added(query: Tensor, keys: Tensor) -> Tensor:
        """You add."""
        return (keys + query).sum(dim=-1)

    def doubled(query: Tensor, keys: Tensor) -> Tensor:
        """You double."""
        return 2 * keys @ query

    def negated(query: Tensor, keys: Tensor) -> Tensor:
        """You take each score's negative."""
        return -(keys @ query)


class _Times(nn.Module):
    factor: float

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


class Scale(Mistakes):
    class Twice(_Times):
        """You double."""
        factor = 2.0

    class Unscaled(_Times):
        """You leave it as it is."""
        factor = 1.0

    class Quarter(_Times):
        """You take a quarter."""
        factor = 0.25
'''

LECTURE = """\
# Tiny

## Products {#scores}

Each key is multiplied with the query.

## Halves {#scale}

Half of everything.
"""

ALTERNATIVES = '''\
"""Part 0, correct in other ways than the reference."""

import torch
from torch import nn


# %% scores: torch.mv
def scores(query, keys):
    return torch.mv(keys, query)


# %% scores: a sum
def scores(query, keys):
    return (keys * query).sum(dim=-1)


# %% scores: key by key
def scores(query, keys):
    return torch.stack([key @ query for key in keys])


# %% Scale: times a half
class Scale(nn.Module):
    def forward(self, x):
        return 0.5 * x


# %% Scale: a half taken away
class Scale(nn.Module):
    def forward(self, x):
        return x - x / 2


# %% Scale: a buffer
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("factor", torch.tensor(0.5))

    def forward(self, x):
        return x * self.factor.to(x.dtype)
'''

EQUIVALENT = """\
"An example: what stands here is tried." = []
"""

COURSE = f"""\
id = "tiny"
title = "Tiny"
parts = ["{NAME}"]
"""


class TinyCourse:
    """A checkout of a course of one part."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.solutions = self.workspace.solutions
        self.reference = self.solutions / f"{NAME}.py"
        part = folder / "course" / NAME
        self.data = part / "steps.py"
        self.mistakes = part / "mistakes.py"
        self.alternatives = part / "alternatives.py"
        self.equivalent = part / "equivalent.toml"
        self.lecture = folder / "docs" / "lectures" / "tiny.md"
        files = {
            folder / "course.toml": COURSE,
            self.reference: SOLUTION,
            self.alternatives: ALTERNATIVES,
            self.equivalent: EQUIVALENT,
            self.data: DATA,
            self.mistakes: MISTAKES,
            self.lecture: LECTURE,
        }
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @property
    def exercise(self) -> Path:
        """The module that its students edit."""
        return self.workspace.exercise(NAME)

    def edit(self, path: Path, old: str, new: str) -> int:
        """Write something else in one place; return the number of its line."""
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)  # its times are in whole seconds
        return text[: text.index(old)].count("\n") + 1

    def build_exam(self, seed: int = 1) -> Exam:
        """Set an exam from what its files say now."""
        forget()
        return build_exam(self.workspace.course, seed)

    def make(self) -> Exam:
        """Make all that is made from the source: stub, syllabus, shapes and the practice exam, which is returned."""
        forget()
        sync.sync(self.workspace)
        forget()
        return read_exam(self.workspace.practice_exam)


def laid(template: Path, folder: Path) -> TinyCourse:
    """Lay a copy of the course with all that is made from it into a folder."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    forget()
    return TinyCourse(folder)


def forget() -> None:
    """Have what a course's author has written read again when it is next asked for."""
    course.forget("course")
    trial._definitions.cache_clear()

"""Part 1, baskets: its cases, points and hints."""

from collections.abc import Iterator

import torch

from autograder.course.draw import Draw
from autograder.course.model import Case, Part, Step


def _totals(draw: Draw) -> Iterator[Case]:
    baskets = torch.tensor([[2.0, 0.0, 1.0], [0.0, 3.0, 1.0]])
    yield Case("two baskets", {"baskets": baskets, "prices": torch.tensor([0.5, 2.0, 4.0])})
    yield Case("random", {"baskets": draw.normal(4, 3), "prices": draw.normal(3)})
    yield Case("as many baskets as goods", {"baskets": draw.normal(3, 3), "prices": draw.normal(3)})
    yield Case("one basket of one good", {"baskets": draw.normal(1, 1), "prices": draw.normal(1)})
    yield Case("one basket", {"baskets": draw.normal(1, 5), "prices": draw.normal(5)})


PART = Part(
    name="part1_baskets",
    title="Baskets",
    steps=(
        Step(
            name="totals",
            lecture="docs/baskets.md",
            points=2,
            effort="one line",
            cases=_totals,
            hints=(
                "What does one basket cost? Do that for all rows at once.",
                "It is the product of a matrix and a vector: `@`.",
            ),
        ),
    ),
)

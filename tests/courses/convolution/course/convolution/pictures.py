"""The pictures of the course: a seven, the kernel that finds its edges, and strokes to be told apart."""

import torch
from torch import Tensor

__all__ = ["STROKES", "edge", "seven", "strokes"]

STROKES = ("lying", "upright", "slanting")
"""What a stroke may be; its place here is its class."""

SIDE = 8
LENGTH = 5
NOISE = 0.2


def seven() -> Tensor:
    """Return a seven, (6, 6): ones on zeros."""
    rows = ("......", ".####.", "....#.", "...#..", "..#...", "..#...")
    return torch.tensor([[float(dot == "#") for dot in row] for row in rows])


def edge() -> Tensor:
    """Return a kernel (3, 3) that is large where the left is bright and the right is dark."""
    return torch.tensor([[1.0, 0.0, -1.0]] * 3)


def strokes(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return pictures (count, 1, 8, 8), each of one stroke on noise, and their classes (count), one after the other."""
    generator = torch.Generator().manual_seed(seed)
    images = NOISE * torch.randn(count, 1, SIDE, SIDE, generator=generator)
    classes = torch.arange(count) % len(STROKES)
    steps = torch.tensor([[0, 1], [1, 0], [1, 1]])[classes]
    starts = (torch.rand(count, 2, generator=generator) * (SIDE - (LENGTH - 1) * steps)).long()
    for image, start, step in zip(images, starts, steps, strict=True):
        rows, columns = (start + torch.arange(LENGTH)[:, None] * step).T
        image[0, rows, columns] += 1.0
    return images, classes

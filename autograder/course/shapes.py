"""The vocabulary of shapes: named dimensions, the sizes they stand for, and how a shape is written.

Dimensions are written as in jaxtyping: names, and `...` for any leading dimensions.
"""

from collections import Counter
from collections.abc import Mapping

LEADING = "..."
BATCH = "b"
"""The name of a single leading dimension."""

Shape = tuple[int, ...]
Sizes = Mapping[str, int]


def rank_of(dims: str) -> int:
    """Return how many dimensions `dims` names, the leading ones not counted."""
    return len([name for name in dims.split() if name != LEADING])


def bind(dims: str, shape: Shape) -> dict[str, int]:
    """Return the size of each dimension that `dims` names in a tensor of this shape.

    A single leading dimension before at least two named ones is a batch, b; others stay unnamed. A shape of too few
    dimensions binds nothing.
    """
    names = dims.split()
    leading = len(shape) - rank_of(dims)
    if leading < 0 or (leading > 0 and LEADING not in names):
        return {}
    return {name: size for name, size in zip(names_of(dims, len(shape)), shape, strict=True) if name}


def bind_all(dims_of: Mapping[str, str], shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return the sizes of all dimensions named by any of the tensors in `shapes`."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        sizes |= bind(dims_of.get(name, ""), shape)
    return sizes


def names_of(dims: str, rank: int) -> tuple[str, ...]:
    """Return one name for each of `rank` dimensions, empty where `dims` has none."""
    trailing = [name for name in dims.split() if name != LEADING]
    leading = rank - len(trailing)
    if leading < 0:
        return ("",) * rank
    batch = leading == 1 and len(trailing) > 1 and BATCH not in trailing
    return ((BATCH,) if batch else ("",) * leading) + tuple(trailing)


def write(shape: Shape, names: tuple[str, ...] = ()) -> str:
    """Write a shape with the names of its dimensions: `(tq=4, tk=5)`, `(3,)`, `()`."""
    names = names or ("",) * len(shape)
    cells = [f"{name}={size}" if name else str(size) for name, size in zip(names, shape, strict=True)]
    return "(" + ", ".join(cells) + ("," if len(cells) == 1 and "=" not in cells[0] else "") + ")"


def recognise(shape: Shape, sizes: Sizes) -> tuple[str, ...]:
    """Name the dimensions of a shape by size, where one known dimension alone has it."""
    owners = Counter(sizes.values())
    by_size = {size: name for name, size in sizes.items() if owners[size] == 1}
    return tuple(by_size.get(size, "") for size in shape)

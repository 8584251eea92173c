"""Shapes of tensors, with names and sizes of dimensions.

The text `dims` names dimensions as in jaxtyping: `... tq d`, with `...` for any leading dimensions.
"""

from collections import Counter
from collections.abc import Mapping

LEADING = "..."
BATCH = "b"
"""The name for a single leading dimension: the batch."""

Shape = tuple[int, ...]
Sizes = Mapping[str, int]


def rank_of(dims: str) -> int:
    """Return the number of dimensions that `dims` names, without the leading dimensions `...`."""
    return len([name for name in dims.split() if name != LEADING])


def bind(dims: str, shape: Shape) -> dict[str, int]:
    """Return the sizes of the named dimensions of a tensor, by name.

    A single leading dimension before at least two named dimensions is the batch, `b`. Other leading
    dimensions have no name and are left out. The result is empty if the shape does not fit `dims`.
    """
    names = dims.split()
    leading = len(shape) - rank_of(dims)
    if leading < 0 or (leading > 0 and LEADING not in names):
        return {}
    return {name: size for name, size in zip(names_of(dims, len(shape)), shape, strict=True) if name}


def bind_all(dims_of: Mapping[str, str], shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return the sizes of the named dimensions of several tensors, by name of the dimension."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        sizes |= bind(dims_of.get(name, ""), shape)
    return sizes


def names_of(dims: str, rank: int) -> tuple[str, ...]:
    """Return the names of a tensor's `rank` dimensions; `""` for a dimension without a name."""
    trailing = [name for name in dims.split() if name != LEADING]
    leading = rank - len(trailing)
    if leading < 0:
        return ("",) * rank
    batch = leading == 1 and len(trailing) > 1 and BATCH not in trailing
    return ((BATCH,) if batch else ("",) * leading) + tuple(trailing)


def write(shape: Shape, names: tuple[str, ...] = ()) -> str:
    """Return a shape as text, with the names of its dimensions: `(tq=4, tk=5)`, `(3,)`, `()`."""
    names = names or ("",) * len(shape)
    cells = [f"{name}={size}" if name else str(size) for name, size in zip(names, shape, strict=True)]
    return "(" + ", ".join(cells) + ("," if len(cells) == 1 and "=" not in cells[0] else "") + ")"


def recognise(shape: Shape, sizes: Sizes) -> tuple[str, ...]:
    """Return the names of a shape's dimensions, found by size.

    sizes: the sizes of the known dimensions, by name. A returned name is empty unless exactly one
    known dimension has that size. A dimension of size 1 gets no name, because `keepdim` may add one.
    """
    owners = Counter(sizes.values())
    by_size = {size: name for name, size in sizes.items() if owners[size] == 1 != size}
    return tuple(by_size.get(size, "") for size in shape)

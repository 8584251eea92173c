"""What is moved between a large slow memory and a small fast one: for each step an arrow that goes down for what is read, one up for what is written."""

import html
from collections.abc import Mapping

from autograder.site.figure import Figure, captioned
from autograder.site.number_format import memory

WIDTH, HEIGHT = 352, 206
TOP, BOTTOM = 34, 142
"""Between them the arrows run: the lower edge of the large memory, the upper edge of the small one."""

THICKEST, THINNEST, HEAD, APART = 15.0, 1.5, 9.0, 12.0
"""Of arrows: the shaft of the largest amount, that of any other, what a head adds, and from the middle of a step."""


def memory_traffic(
    large: str, small: str, steps: Mapping[str, tuple[float, float]], caption: str, *, most: float
) -> Figure:
    """Return two memories with arrows between them, as thick as what is moved.

    large, small: what the memories are called. steps: how many bytes each reads from the large memory and writes to it.
    most: the bytes of the thickest arrow, so that two pictures can be compared.
    """
    pitch = WIDTH / len(steps)
    arrows = "".join(
        _arrow(pitch * (place + 0.5) + side, bytes_moved / most, down=side < 0)
        for place, moved in enumerate(steps.values())
        for side, bytes_moved in zip((-APART, APART), moved, strict=True)
        if bytes_moved
    )
    names = "".join(
        f'<text x="{pitch * (place + 0.5):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(name)}</text>'
        for place, name in enumerate(steps)
    )
    drawn = f"{_memory(1, TOP, large)}{_memory(BOTTOM, HEIGHT - 28, small)}{arrows}{names}"
    picture = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(caption)}">{drawn}</svg>'
    words = "\n".join(
        f"- {name}: {memory(read)} read, {memory(written)} written" for name, (read, written) in steps.items()
    )
    return Figure(captioned(picture, caption, "links weight"), f"{caption}\n\n{words}\n")


def _memory(top: int, bottom: int, name: str) -> str:
    middle = (top + bottom) / 2 + 5
    outline = f'<path d="M1 {top}H{WIDTH - 1}V{bottom}H1Z"/>'
    return f'{outline}<text x="{WIDTH / 2}" y="{middle:.1f}" text-anchor="middle">{html.escape(name)}</text>'


def _arrow(x: float, share: float, *, down: bool) -> str:
    """Return an arrow from one memory to the other. share: of the thickest."""
    start, end = (TOP + 3, BOTTOM - 3) if down else (BOTTOM - 3, TOP + 3)
    neck = end - HEAD if down else end + HEAD
    half = max(share * THICKEST, THINNEST) / 2
    tip = half + HEAD / 2
    corners = [(-half, start), (-half, neck), (-tip, neck), (0, end), (tip, neck), (half, neck), (half, start)]
    return f'<polygon points="{" ".join(f"{x + across:.1f},{y:.1f}" for across, y in corners)}"/>'

"""The picture that a shared link shows: the page's title and a heat map, as PNG, without a browser or a drawing library.

Letters are outlines of the font of the formulas. An outline is filled where a line from the left has crossed it more
often upwards than downwards, or the other way: the non-zero rule of every font.
"""

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from unicodedata import normalize

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray

from autograder.site.font import whole_font

WIDTH, HEIGHT, MARGIN = 1200, 630, 72
MAP = 390
"""The side of the heat map."""
LETTERS = WIDTH - MAP - 3 * MARGIN
"""How wide the title may be."""
SIZES = (104, 92, 80, 70, 60, 50)
"""Of the title, in pixels: the first in which it fits."""
LEADING = 1.15
SAMPLES = 3
"""A pixel's share of a letter is measured at so many points each way."""
CURVE = np.linspace(0, 1, 7)[1:, None]

GROUND, TITLE, SMALL, CELL = (
    np.array(colour) for colour in ((45, 35, 82), (255, 255, 255), (196, 167, 255), (255, 179, 122))
)

Outline = list[NDArray[np.float64]]
"""Closed lines, (points, 2) each, y upwards."""
Image = NDArray[np.float64]


def link_picture(title: str, above: str, below: str, shares: NDArray[np.float64]) -> bytes:
    """Return a PNG of 1200 × 630 pixels: a title with a line above and one below it, and a heat map beside it.

    shares: (rows, columns), from 0 to 1. Signs that the font lacks are left out.
    """
    image = np.full((HEIGHT, WIDTH, 3), GROUND, np.float64)
    _draw_map(image, shares)
    size, lines = _fitted(title)
    top = (HEIGHT - size * LEADING * len(lines)) / 2 + 0.8 * size
    for place, line in enumerate(lines):
        _write(image, line, MARGIN, top + place * size * LEADING, size, TITLE)
    _write(image, above, MARGIN, MARGIN + 24, 34, SMALL)
    _write(image, below, MARGIN, HEIGHT - MARGIN, 34, SMALL)
    return _png(image.round().astype(np.uint8))


def _fitted(title: str) -> tuple[int, list[str]]:
    """Return the largest size in which the title has at most three lines that fit, and these lines."""
    for size in SIZES:
        lines = _lines(title, size)
        if len(lines) <= 3 and all(_width(line, size) <= LETTERS for line in lines):
            break
    return size, lines


def _lines(title: str, size: int) -> list[str]:
    lines: list[str] = []
    for word in title.split():
        if lines and _width(f"{lines[-1]} {word}", size) <= LETTERS:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _width(text: str, size: int) -> float:
    return sum(_glyph(letter)[0] for letter in text) * size


def _write(image: Image, text: str, left: float, base: float, size: int, colour: NDArray[np.int_]) -> None:
    """Lay a line of text over an image. base: how far its baseline is from the top."""
    top, height = round(base) - size, round(1.4 * size)
    outlines: Outline = []
    for letter in text:
        advance, outline = _glyph(letter)
        outlines += [points * (size, -size) + (left, base - top) for points in outline]
        left += advance * size
    width = min(round(left) + size, WIDTH)
    _lay(image[top : top + height, :width], _coverage(outlines, height, width), colour)


def _draw_map(image: Image, shares: NDArray[np.float64]) -> None:
    rows, columns = shares.shape
    top, left = (HEIGHT - MAP) // 2, WIDTH - MARGIN - MAP
    down, across = (np.arange(MAP) * count // MAP for count in (rows, columns))
    _lay(image[top : top + MAP, left : left + MAP], 0.08 + 0.92 * shares[down][:, across], CELL)


def _lay(image: Image, share: NDArray[np.float64], colour: NDArray[np.int_]) -> None:
    image += share[:, :, None] * (colour - image)


def _coverage(outlines: Outline, height: int, width: int) -> NDArray[np.float64]:
    """Return how much of each pixel lies within the outlines, (height, width), from 0 to 1."""
    crossed = np.zeros((height * SAMPLES, width * SAMPLES + 1), np.int8)
    edges = [np.hstack([points, np.roll(points, -1, axis=0)]) for points in outlines]
    x, y, to_x, to_y = np.concatenate([np.zeros((0, 4)), *edges]).T * SAMPLES
    first, last = (np.ceil(end(y, to_y) - 0.5).clip(0, len(crossed)).astype(int) for end in (np.minimum, np.maximum))
    crossings = last - first  # of each edge, with the middles of as many rows
    edge = np.repeat(np.arange(len(x)), crossings)
    rows = first[edge] + np.arange(len(edge)) - np.repeat(crossings.cumsum() - crossings, crossings)
    at = x[edge] + (to_x - x)[edge] * (rows + 0.5 - y[edge]) / (to_y - y)[edge]
    np.add.at(crossed, (rows, at.round().clip(0, width * SAMPLES).astype(int)), np.sign(to_y - y)[edge].astype(np.int8))
    inside = np.cumsum(crossed[:, :-1], axis=1, dtype=np.int8) != 0
    share: NDArray[np.float64] = inside.reshape(height, SAMPLES, width, SAMPLES).mean(axis=(1, 3))
    return share


@cache
def _glyph(letter: str) -> tuple[float, Outline]:
    """Return how far a letter moves the next one, and its outline, both for a size of 1; nothing for a sign that the font lacks."""
    font = _font()
    name = font.getBestCmap().get(ord(letter))
    if name is None:
        plain = normalize("NFKC", letter)
        return (0.0, []) if plain == letter else _lowered(*_glyph(plain[0]))
    pen = _Flattened(font.getGlyphSet())
    font.getGlyphSet()[name].draw(pen)
    em = font["head"].unitsPerEm
    return font["hmtx"][name][0] / em, [np.array(points) / em for points in pen.closed()]


def _lowered(advance: float, outline: Outline) -> tuple[float, Outline]:
    """Return a letter as an index."""
    return 0.65 * advance, [0.65 * points - (0, 0.15) for points in outline]


@cache
def _font() -> TTFont:
    return TTFont(whole_font())


class _Flattened(BasePen):  # type: ignore[misc]  # fontTools has no types
    """Follows an outline and notes points on it, close enough to one another to be joined by straight lines."""

    def __init__(self, glyphs: object) -> None:
        super().__init__(glyphs)
        self.lines: list[list[tuple[float, float]]] = []

    def closed(self) -> Iterator[list[tuple[float, float]]]:
        return (line for line in self.lines if len(line) > 2)

    def _moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802 — fontTools names it
        self.lines.append([point])

    def _lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self.lines[-1].append(point)

    def _curveToOne(self, *points: tuple[float, float]) -> None:  # noqa: N802
        start, one, two, end = (np.array(point) for point in (self.lines[-1][-1], *points))
        rest = 1 - CURVE
        curve = rest**3 * start + 3 * rest**2 * CURVE * one + 3 * rest * CURVE**2 * two + CURVE**3 * end
        self.lines[-1] += [tuple(point) for point in curve.tolist()]


def _png(image: NDArray[np.uint8]) -> bytes:
    rows = np.pad(image.reshape(len(image), -1), ((0, 0), (1, 0)))  # each row begins with its filter, 0 for none
    size = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", size), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )

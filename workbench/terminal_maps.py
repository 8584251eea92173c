"""Attention maps in the terminal: two maps of one head side by side, darker cells where more weight is."""

from collections.abc import Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.text import Text

from autograder.course.answer import Array
from autograder.render.screen import Signs

WRITTEN = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""Signs for characters that cannot be seen."""


def draw_maps(text: str, maps: dict[str, Array], signs: Signs) -> RenderableType:
    """Return maps of a text's characters, by title, side by side if there is room. A row is a token that looks."""
    tokens = [WRITTEN.get(token, token) for token in text]
    if signs.plain:
        return Group(*(_tell(tokens, title, weights) for title, weights in maps.items()))
    return Columns([_draw(tokens, title, weights, signs) for title, weights in maps.items()], padding=(0, 3))


def _tell(tokens: Sequence[str], title: str, weights: Array) -> Text:
    """Return for each token at which one it looks most, in words."""
    lines = [
        f"Token {number}, {token}: {row.max():.2f} of its weight is on token {row.argmax()}, {tokens[row.argmax()]}."
        for number, (token, row) in enumerate(zip(tokens, weights, strict=True))
    ]
    return Text("\n").join(map(Text, [f"{title}:", *lines]))


def _draw(tokens: Sequence[str], title: str, weights: Array, signs: Signs) -> Text:
    header = Text("  " + "".join(f"{token} " for token in tokens), style="dim")
    rows = [
        Text.assemble((f"{token} ", "dim"), ("".join(_cell(weight, signs) for weight in row), "blue"))
        for token, row in zip(tokens, weights, strict=True)
    ]
    return Text("\n").join([Text(title, style="bold"), header, *rows])


def _cell(weight: float, signs: Signs) -> str:
    shades = " " + signs.shades
    return 2 * shades[round(weight * (len(shades) - 1))]

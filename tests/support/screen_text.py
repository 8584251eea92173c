"""What stands on a screen: what Rich draws as text without colours, and what is looked for in it."""

import io
import re

from rich.console import Console, RenderableType

SIGNS = ("✓", "✗", "·", "ok", "X", "-")
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
SGR = re.compile(r"\x1b\[([\d;]*)m")
COLOURS = {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)}


def drawn(*renderables: RenderableType, width: int = 80) -> str:
    """Return the lines of a screen of this width, without the spaces at their ends."""
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    for renderable in renderables:
        console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def steps_in(screen: str) -> list[str]:
    """Return the names of the steps that a screen shows, in order."""
    return [words[1] for line in screen.splitlines() if (words := _heading(line))]


def said_of(step: str, screen: str) -> str:
    """Return what a screen says of one step, on one line; in a step of several parts, the first."""
    lines = screen.splitlines()
    begin = next(number for number, line in enumerate(lines) if (words := _heading(line)) and words[1] == step)
    end = next((n for n in range(begin + 1, len(lines)) if lines[n] and not lines[n].startswith("   ")), len(lines))
    return one_line("\n".join(lines[begin:end]))


def _heading(line: str) -> list[str] | None:
    words = line.split()
    return words if line.startswith("  ") and line[2:3].strip() and len(words) > 1 and words[0] in SIGNS else None


def one_line(screen: str) -> str:
    """Undo the breaking of lines."""
    return " ".join(screen.split())


def colours_in(raw: str) -> set[int]:
    """Return the codes with which a screen was coloured."""
    codes = {int(code) for found in SGR.findall(raw) for code in found.split(";") if code}
    return codes & COLOURS

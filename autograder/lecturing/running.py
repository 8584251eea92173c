"""A page is a program: its blocks run in order, and its sentences show the values.

Markdown goes in and Markdown comes out, so that everything else on the page is made by the usual extensions.

- A fence that begins with ```` ```python run ```` stays on the page; what it prints stands below it.
- A fence that begins with ```` ```python draw ```` makes room for what it prints and for the value of its last line.
- {= scores[1] } in a sentence or a table becomes the number, or the row of numbers.

A block that raises ends the build: a page never shows a traceback in place of a number.
"""

import ast
import contextlib
import io
import re
import sys
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from autograder.lecturing.drawn import Drawn, Edition
from autograder.lecturing.printed import shown
from autograder.workspace import COURSE

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
RUNS = re.compile(r"^\s*python (?P<how>run|draw)\b(?P<rest>.*)$")
HEADING = re.compile(r"^(?P<marks>#+) (?P<words>.+?) *\{#(?P<anchor>[\w-]+)\}$")
INLINE = re.compile(r"`[^`\n]+`|\{= (?P<expression>(?:[^{}]|\{[^{}]*\})+?) \}")


class PageFailed(Exception):
    """A block or a number of a page raised; the message says which one, and what it raised."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page. number: the line on which its code begins."""

    number: int
    indent: str
    info: str
    code: str


def filled(page: str, edition: Edition) -> str:
    """Return the Markdown of a page with all of its blocks run and all of its numbers written. Raises PageFailed."""
    if not re.search(r"python (run|draw)\b|\{= ", page):
        return page
    namespace = _fresh_namespace(edition)
    return "\n".join(
        _run(piece, namespace, edition) if isinstance(piece, Block) else _line(piece, namespace, edition)
        for piece in _pieces(page)
    )


def _fresh_namespace(edition: Edition) -> dict[str, Any]:
    """Return the names that a page begins with. Pages share one process, so what they might leave behind is set back."""
    import torch

    from autograder.lecturing import vocabulary

    if str(COURSE.root) not in sys.path:
        sys.path.append(str(COURSE.root))  # for `from solutions.part4_multihead import ...`
    torch.manual_seed(123)
    torch.set_printoptions(profile="default", sci_mode=False)
    names = {name: getattr(vocabulary, name) for name in vocabulary.__all__}
    return names | {"torch": torch, "exercise": partial(vocabulary.exercise, edition=edition)}


def _pieces(page: str) -> Iterator[str | Block]:
    """Yield the blocks that run, and the lines between them; lines of other fences come in one piece, never to be filled."""
    lines = page.split("\n")
    place = 0
    while place < len(lines):
        opening = FENCE.match(lines[place])
        if not opening:
            yield lines[place]
            place += 1
            continue
        closing = re.compile(rf" *{re.escape(opening['ticks'])}[`~]*\s*$")
        end = next((n for n in range(place + 1, len(lines)) if closing.match(lines[n])), len(lines))
        inside = lines[place + 1 : end]
        if RUNS.match(opening["info"]):
            yield Block(place + 2, opening["indent"], opening["info"], textwrap.dedent("\n".join(inside)))
        else:
            yield Block(place + 2, "", "", "\n".join(lines[place : end + 1]))
        place = end + 1


def _run(block: Block, namespace: dict[str, Any], edition: Edition) -> str:
    how = RUNS.match(block.info)
    if how is None:
        return block.code
    printed, value = _executed(block, namespace)
    if how["how"] == "run":
        text = f"```python{how['rest']}\n{block.code}\n```\n"
        if printed:
            text += f"\n```{{ .text .result }}\n{printed.rstrip()}\n```\n"
    else:
        text = printed + _drawing(value, edition)
    return textwrap.indent(f"\n{text}\n", block.indent)


def _line(line: str, namespace: dict[str, Any], edition: Edition) -> str:
    """Return a line with its numbers; in a file, an anchor becomes a link's target, which every editor knows."""
    if edition is Edition.TEXT:
        line = HEADING.sub(r'\g<marks> <a id="\g<anchor>"></a>\g<words>', line)
    return INLINE.sub(lambda found: _number(found, namespace), line)


def _executed(block: Block, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Return what a block prints, and the value of its last line if that is an expression."""
    printed = io.StringIO()
    value = None
    try:
        tree = ast.parse(block.code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "page", "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "page", "eval"), namespace)
    except Exception as error:
        line = next(
            (frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "page"), 1
        )
        raise PageFailed(
            f"the block at line {block.number} raised {type(error).__name__}: {error}\n"
            f"  {block.code.splitlines()[(line or 1) - 1].strip()}\n"
            "A page shows what its blocks compute: correct the block."
        ) from error
    return printed.getvalue(), value


def _drawing(value: Any, edition: Edition) -> str:
    """Return what the value of a block's last line draws: a drawing, several, or Markdown; nothing for other values."""
    if isinstance(value, tuple):
        return "\n".join(_drawing(one, edition) for one in value)
    if isinstance(value, Drawn):
        return value.text if edition is Edition.TEXT else value.page
    return value if isinstance(value, str) else ""


def _number(found: re.Match[str], namespace: dict[str, Any]) -> str:
    """Return the number that stands for an expression; code in a sentence stays code."""
    expression = found["expression"]
    if expression is None:
        return found[0]
    try:
        return shown(eval(expression, namespace))
    except Exception as error:
        raise PageFailed(f"the number {{= {expression} }} raised {type(error).__name__}: {error}") from error


class _RunPage(Preprocessor):
    def __init__(self, md: Markdown, edition: Edition) -> None:
        super().__init__(md)
        self.edition = edition

    def run(self, lines: list[str]) -> list[str]:
        return filled("\n".join(lines), self.edition).split("\n")


class RunningPages(Extension):
    """The Markdown extension: fills a page before anything else reads it. solutions: whether pages may reveal them."""

    def __init__(self, **options: Any) -> None:
        self.config = {"solutions": [True, "whether a solution stands behind a reveal"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the preprocessor before that of fenced blocks, which has 25."""
        edition = Edition.OPEN if self.getConfig("solutions") else Edition.CLASS
        md.preprocessors.register(_RunPage(md, edition), "running-page", 28)


def makeExtension(**options: Any) -> RunningPages:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return RunningPages(**options)

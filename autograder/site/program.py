"""Fill a page of Markdown: run its code blocks in order, and write values into its sentences.

- A fence that begins with ```` ```python run ```` stays on the page; what it prints is shown below it.
- A fence that begins with ```` ```python given ```` stays, too, but folded under the names that it sets.
- A fence that begins with ```` ```python draw ```` is replaced by its output and the figure on its last line.
- {= scores[1] } in a sentence or a table is replaced by the value: a number or a row of numbers.

If a block raises an exception, the build ends, so that no page shows a traceback.
"""

import ast
import contextlib
import io
import re
import textwrap
import traceback
from functools import partial
from importlib import import_module
from typing import Any

import click
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from autograder.site.figure import Edition, Figure
from autograder.site.number_format import shown
from autograder.workspace import here

FRONT_MATTER = re.compile(r"\A---\n.*?^---\n+", re.MULTILINE | re.DOTALL)
PIECE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,}+|~{3,}+)(?P<info>.*)\n(?P<code>(?:.*\n)*?) *(?P=ticks)[`~]* *$|^.*$", re.MULTILINE
)
"""Matches a whole fence with its code, or a line outside of fences."""
RUNS = re.compile(r"^\s*python\s+(?P<how>run|given|draw)\b(?P<rest>.*)$")
HEADING = re.compile(r"^(?P<marks>#+) (?P<words>.+?) *\{#(?P<anchor>[\w-]+)\}$")
INLINE = re.compile(r"(?P<ticks>`+).*?(?P=ticks)|\{=(?: (?P<expression>(?:[^{}]|\{[^{}]*\})+?) \})?")
"""Matches code in ticks, a number, or the beginning of a number that is not written as it should be."""

NAMES = {
    "cards": ("cards",),
    "charts": ("curves", "graphs", "spread"),
    "commands": ("overview", "verb"),
    "embedding": ("widget",),
    "exercise": ("exercise",),
    "figure": ("beside",),
    "flow": ("box", "flow"),
    "marks_schema": ("fields",),
    "matrix": ("matrix", "shape_of"),
    "number_format": ("memory", "shown"),
    "plots": ("arrows", "bars", "directions"),
    "quiz": ("quiz", "right", "wrong"),
    "written_line": ("write",),
}
"""The functions that every page can call, by their module in `autograder.site`."""


class PageFailed(click.ClickException):
    """A page cannot be filled. The message, shown without a traceback, has the line and the reason."""


def filled(page: str, edition: Edition) -> str:
    """Run a page's blocks, write its numbers, and return the resulting Markdown. Raises PageFailed."""
    if edition is Edition.TEXT:
        page = FRONT_MATTER.sub("", page)
    if not re.search(r"python\s+(run|given|draw)\b|\{=", page):
        return page
    namespace = _fresh_namespace(edition)
    return PIECE.sub(lambda found: _piece(found, namespace, edition), page)


def _fresh_namespace(edition: Edition) -> dict[str, Any]:
    """Return the names that every page can use, and reset settings that an earlier page may change."""
    import torch

    course = here().course
    course.at_home()  # for `from solutions.part1 import ...`
    torch.set_num_threads(1)
    torch.manual_seed(123)
    torch.set_printoptions(profile="default", sci_mode=False)
    names: dict[str, Any] = {
        name: getattr(import_module(f"autograder.site.{module}"), name) for module, own in NAMES.items() for name in own
    }
    bound = {
        "exercise": partial(names["exercise"], edition=edition),
        "widget": partial(names["widget"], course.pages.widgets),
    }
    return names | bound | course.page_names() | {"torch": torch}


def _piece(found: re.Match[str], namespace: dict[str, Any], edition: Edition) -> str:
    number = found.string.count("\n", 0, found.start()) + 1
    how = RUNS.match(found["info"] or "")
    if how is None:
        return found[0] if found["ticks"] else _line(number, found[0], namespace, edition)
    code = textwrap.dedent(found["code"])
    printed, value = _executed(number + 1, code, namespace)
    if how["how"] == "draw":
        text = printed + _drawing(value, edition, number + 1)
    else:
        text = _fence(f"python{how['rest']}", code) + (_fence("{ .text .result }", printed) if printed else "")
        if how["how"] == "given" and edition is not Edition.TEXT:
            text = f'??? given "Given: {_names(code)}"\n\n{textwrap.indent(text, "    ")}'
    return textwrap.indent(f"\n{text}\n", found["indent"])


def _names(code: str) -> str:
    """Return the names of the variables that a block assigns, as in `a`, `b` and `c`."""
    targets = [target for line in ast.parse(code).body if isinstance(line, ast.Assign) for target in line.targets]
    names = [f"`{node.id}`" for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _fence(info: str, code: str) -> str:
    """Return code as a fenced block. The fence has more ticks than any row of ticks in the code."""
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", code))])
    return f"{ticks}{info}\n{code.rstrip()}\n{ticks}\n\n"


def _line(number: int, text: str, namespace: dict[str, Any], edition: Edition) -> str:
    """Replace the expressions in a line by values and, for TEXT, the anchor by an HTML element."""
    if edition is Edition.TEXT:
        text = HEADING.sub(r'\g<marks> <a id="\g<anchor>"></a>\g<words>', text)
    if text.lstrip().startswith(("```", "~~~")):
        raise PageFailed(f"line {number}: the fence that begins here is never closed")
    return INLINE.sub(lambda found: _number(found, namespace, number, text), text)


def _executed(number: int, code: str, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Run a block. Return its output, and its last line's value; None if that is no expression.

    number: the line of the page where the code begins.
    """
    printed = io.StringIO()
    value = None
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "page", "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "page", "eval"), namespace)
    except (Exception, SystemExit) as error:
        inside = _line_within(error)
        raise PageFailed(
            f"line {number + inside - 1}: {type(error).__name__}: {error}\n"
            f"  {code.splitlines()[inside - 1].strip()}\n"
            "A page shows what its blocks compute: correct the block."
        ) from error
    return printed.getvalue(), value


def _line_within(error: BaseException) -> int:
    """Return the number of the line, within a block, that raised an exception."""
    if isinstance(error, SyntaxError):
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in frames if frame.filename == "page" and frame.lineno), 1)


def _drawing(value: Any, edition: Edition, number: int) -> str:
    """Return a block's value as Markdown. The value is a Figure, text, None, or a list of these."""
    if isinstance(value, tuple | list):
        return "\n".join(_drawing(one, edition, number) for one in value)
    if isinstance(value, Figure):
        return value.text if edition is Edition.TEXT else value.page
    if value is None or isinstance(value, str):
        return value or ""
    raise PageFailed(
        f"line {number}: the last line of the block is worth a {type(value).__name__}, which draws nothing; "
        "draw it, as in `matrix(x, ...)`, or end with `None`"
    )


def _number(found: re.Match[str], namespace: dict[str, Any], line: int, text: str) -> str:
    """Return the value of `{= expression }` as text. If the match is code in ticks, return the code."""
    expression = found["expression"]
    if found["ticks"]:
        return found[0]
    if not expression:
        raise PageFailed(f"line {line}: a number is written {{= expression }}, with the spaces and on one line")
    try:
        number = shown(eval(expression, namespace))
    except (Exception, SystemExit) as error:
        raise PageFailed(f"line {line}: {{= {expression} }}: {type(error).__name__}: {error}") from error
    return number.replace("|", "&#124;") if text.lstrip().startswith("|") else number


class _RunPage(Preprocessor):
    def __init__(self, md: Markdown, edition: Edition) -> None:
        super().__init__(md)
        self.edition = edition

    def run(self, lines: list[str]) -> list[str]:
        return filled("\n".join(lines), self.edition).split("\n")


class RunningPages(Extension):
    """A Markdown extension that fills each page before other extensions read the page."""

    def __init__(self, **options: Any) -> None:
        self.config = {"solutions": [True, "whether a solution is behind a reveal"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the preprocessor with priority 28. The one for fenced blocks has 25, so it runs later."""
        here().course.at_home()  # a page that shows the course's own verbs imports them
        edition = Edition.OPEN if self.getConfig("solutions") else Edition.CLASS
        md.preprocessors.register(_RunPage(md, edition), "running-page", 28)


makeExtension = RunningPages  # noqa: N816 (Markdown calls this)

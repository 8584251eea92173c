r"""The Markdown extension for the reference of commands: `::: command MODULE:NAME` becomes the command's usage, help and options.

They are what `-h` prints; here options are a list of definitions, and so is a paragraph of help that begins with \b.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

import click
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

BLOCK = re.compile(r"::: command ([\w.]+):(\w+)")
CODE_OR_OPTION = re.compile(r"`[^`]*`|(?<![\w-])(--[a-z][a-z-]*)")
AS_IT_IS = "\b\n"


class _Commands(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return [made for line in lines for made in _in_place_of(line)]


def _in_place_of(line: str) -> Iterable[str]:
    block = BLOCK.fullmatch(line)
    return _described(*block.groups()) if block else [line]


def _described(module: str, name: str) -> Iterator[str]:
    """Yield lines of Markdown. Raises what importing raises."""
    command = getattr(import_module(module), name)
    context = click.Context(command)
    usage = " ".join(["attn", command.name, *command.collect_usage_pieces(context)])
    yield from ["```text", usage, "```", ""]
    for paragraph in inspect.cleandoc(command.help).split("\n\n"):
        rows = [re.split(r"  +", line, maxsplit=1) for line in paragraph.removeprefix(AS_IT_IS).splitlines()]
        yield from _definitions(rows) if paragraph.startswith(AS_IT_IS) else [_with_options(paragraph), ""]
    records = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
    if records:
        yield from ["Options:", "", *_definitions(filter(None, records))]


def _definitions(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for term, told in rows:
        yield from [f"`{term}`", f":   {_with_options(told)}", ""]


def _with_options(text: str) -> str:
    return CODE_OR_OPTION.sub(lambda found: f"`{found[1]}`" if found[1] else found[0], text)


class Commands(Extension):
    """The Markdown extension: runs before code in fences is put aside, which has 25."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the preprocessor."""
        md.preprocessors.register(_Commands(md), "commands", 29)


def makeExtension() -> Commands:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return Commands()

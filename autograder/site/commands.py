r"""The Markdown extension for the reference of commands: `::: attn VERB WORDS` becomes a section on a verb.

The section has the words as an example, and the usage, help and options that `-h` prints. Options, and paragraphs of help that
begin with \b, become definition lists. `::: overview` becomes a table of all verbs on the page.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

import click
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

BLOCK = re.compile(r"::: attn (\S+)(.*)")
CODE_OR_OPTION = re.compile(r"`[^`]*`|(?<![\w-])(--[a-z][a-z-]*)")
AT_LEAST, BETWEEN = re.compile(r"\bx>=(\d+)"), re.compile(r"(\d+)<=x<=(\d+)")
"""Click's notation for the range of a number."""
AS_IT_IS = "\b\n"
OVERVIEW = "::: overview"
LONGEST = 200
"""The most characters of a command's short help: more than any has, so that none is cut."""
NO_OPTIONS = "[OPTIONS]"
"""Click writes this into the usage of each command, even if a command has no options."""


class _Commands(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        named = [_named(block[1]) for line in lines if (block := BLOCK.fullmatch(line))]
        return [made for line in lines for made in _in_place_of(line, named)]


def _in_place_of(line: str, named: Iterable[click.Command]) -> Iterable[str]:
    if line == OVERVIEW:
        return _overview(named)
    block = BLOCK.fullmatch(line)
    return _described(_named(block[1]), block[2]) if block else [line]


def _named(verb: str) -> click.Command:
    """Return the command of a verb of `attn`. Raises UsageError."""
    attn: click.Group = import_module("autograder.cli.main").attn
    _, command, _ = attn.resolve_command(click.Context(attn), [verb])
    assert command
    return command


def _overview(commands: Iterable[click.Command]) -> Iterator[str]:
    yield from ["| verb | what it does |", "| --- | --- |"]
    for command in commands:
        yield f"| [`{command.name}`](#attn-{command.name}) | {_with_options(command.get_short_help_str(LONGEST))} |"


def _described(command: click.Command, words: str) -> Iterator[str]:
    """Yield the section on a command in Markdown. words: the arguments in its example."""
    yield from [f"## attn {command.name}", ""]
    if words:
        yield from ['```sh title="Example"', f"attn {command.name}{words}", "```", ""]
    context = click.Context(command)
    records = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
    pieces = [piece for piece in command.collect_usage_pieces(context) if records or piece != NO_OPTIONS]
    yield from ['```{ .text .no-copy title="Usage" }', " ".join(["attn", str(command.name), *pieces]), "```", ""]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        rows = [re.split(r"  +", line, maxsplit=1) for line in paragraph.removeprefix(AS_IT_IS).splitlines()]
        yield from _definitions(rows) if paragraph.startswith(AS_IT_IS) else [_with_options(paragraph), ""]
    if records:
        yield from ["Options:", "", *_definitions(filter(None, records))]


def _definitions(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for term, told in rows:
        yield from [f"`{term}`", f":   {_with_options(told)}", ""]


def _with_options(text: str) -> str:
    text = BETWEEN.sub(r"\1 to \2", AT_LEAST.sub(r"at least \1", text))
    return CODE_OR_OPTION.sub(lambda found: f"`{found[1]}`" if found[1] else found[0], text)


class Commands(Extension):
    """The Markdown extension. Its priority is 29, to run before fenced code is put aside at 25."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the preprocessor."""
        md.preprocessors.register(_Commands(md), "commands", 29)


def makeExtension() -> Commands:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return Commands()

"""Describe verbs of `attn` in a table, and in sections with usage, help and options as in `-h`."""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

import click

CODE_OR_OPTION = re.compile(r"`[^`]*`|(?<![\w-])(--[a-z][a-z-]*)")
AT_LEAST, BETWEEN = re.compile(r"\bx>=(\d+)"), re.compile(r"(\d+)<=x<=(\d+)")
"""Match ranges of numbers in Click's help, such as `x>=1`."""
AS_IT_IS = "\b\n"
"""Begins a paragraph of help that Click does not wrap. Here, it lists terms and their meanings."""
LONGEST = 200
"""The maximum length of a command's short help. All are shorter, so that none is cut."""
NO_OPTIONS = "[OPTIONS]"
"""Click writes this into the usage of each command, even if a command has no options."""


def overview(*verbs: str) -> str:
    """Return a table of verbs. Each verb is a link to the section on the verb."""
    says = {name: _with_options(_named(name).get_short_help_str(LONGEST)) for name in verbs}
    rows = [f"| [`{name}`](#attn-{re.sub('[ -]+', '-', name)}) | {told} |" for name, told in says.items()]
    return "\n".join(["| verb | what it does |", "| --- | --- |", *rows])


def verb(name: str, example: str = "") -> str:
    """Return the section on a verb. example: the arguments in an example, or empty for no example."""
    return "\n".join(_described(_named(name), example))


def _named(verb: str) -> click.Command:
    """Return the command of a verb of `attn`. Raises UsageError."""
    attn: click.Group = import_module("autograder.cli.main").attn
    _, command, _ = attn.resolve_command(click.Context(attn), [verb])
    assert command
    return command


def _described(command: click.Command, example: str) -> Iterator[str]:
    yield from [f"## attn {command.name}", ""]
    if example:
        yield from ['```sh title="Example"', f"attn {command.name} {example}", "```", ""]
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

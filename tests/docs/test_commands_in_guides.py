"""Every command that a page names is one that there is: its verb, its options, and in blocks to be typed their values too."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from autograder.cli.main import EARLIER, attn

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [path.relative_to(ROOT).as_posix() for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))]

BLOCK = re.compile(r"^ *(?P<ticks>`{3,})[^\n`]*\n(?P<text>.*?)^ *(?P=ticks)$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^ *(?:\$ )?(?:[A-Z_]+=\S+ )*(?P<command>attn(?: [^\n]*)?)$", re.MULTILINE)
EXAMPLE = re.compile(r"^::: (?P<command>attn .*)$", re.MULTILINE)
NAMED = re.compile(r"(?<!`)`(?:[A-Z_]+=\S+ )*(?P<command>attn [^`]+)`(?!`)")
ENDS = {"|", ">", ">>", "&", "&&", ";"}
"""Signs of the shell behind which another command begins."""

LEFT_OUT = "…"
"""Stands in a sentence for options of the reader's own."""


def typed_in(page: str) -> Iterator[list[str]]:
    """Yield the commands in the blocks of a page, and the examples of the reference."""
    yield from (words_of(found["command"]) for found in EXAMPLE.finditer(page))
    for block in BLOCK.finditer(page):
        text = block["text"].replace("\\\n", " ")
        yield from (words_of(found["command"]) for found in TYPED.finditer(text))


def named_in(page: str) -> Iterator[list[str]]:
    """Yield the commands in the sentences of a page."""
    yield from (words_of(" ".join(found["command"].split())) for found in NAMED.finditer(BLOCK.sub("", page)))


def words_of(command: str) -> list[str]:
    """Return the words behind `attn`, to the end of the command."""
    words = shlex.split(command, comments=True)[1:]
    end = next((place for place, word in enumerate(words) if word in ENDS), len(words))
    return [word for word in words[:end] if word != LEFT_OUT]


def verb_of(words: list[str]) -> tuple[click.Context, click.Command, list[str]]:
    """Return the command that words name, and its own words. Raises UsageError."""
    context, command = click.Context(attn, info_name="attn"), attn
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, found, words = command.resolve_command(context, words)
        assert found
        context, command = click.Context(found, parent=context, info_name=name), found
    return context, command, words


def understand(words: list[str]) -> None:
    """Do all that the command does with its words before it begins. Raises UsageError."""
    context, command, own = verb_of(words)
    command.make_context(context.info_name, own, parent=context.parent)


@pytest.mark.parametrize("page", PAGES)
def test_each_command_is_understood_and_has_the_options_that_a_sentence_names(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [words for words in (*typed_in(text), *named_in(text)) if words[:1] and words[0] in EARLIER] == []
    for words in typed_in(text):
        understand(words)
    for words in named_in(text):
        context, command, own = verb_of(words)
        known = {name for parameter in command.get_params(context) for name in parameter.opts}
        asked = {word.partition("=")[0] for word in own if word.startswith("--")}
        assert asked <= known, words


@pytest.mark.parametrize(
    "line",
    ["attn gradee class", "attn grade class --ouut x", "attn grade class", "attn grade class --jobs one --out x"],
)
def test_a_command_that_is_none_is_found(line: str) -> None:
    (words,) = typed_in(f"```sh\n{line}\n```\n")
    with pytest.raises(click.UsageError):
        understand(words)

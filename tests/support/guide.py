"""Following a guide for authors: its blocks are written to the files that it names."""

import re
from dataclasses import dataclass

from autograder.workspace import Workspace

BLOCK = re.compile(
    r"^`(?P<file>[^`\n]+)`, (?P<how>a new file|at the end|below the line `(?P<line>[^\n]+)`):\n\n"
    r"(?P<ticks>`{3,})\w+\n(?P<text>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of a guide. how: where in the file it goes; line: below which one, if that is the place."""

    file: str
    how: str
    line: str | None
    text: str


def blocks_of(page: str) -> list[Block]:
    """Return the blocks that name a file, in order."""
    return [Block(found["file"], found["how"], found["line"], found["text"]) for found in BLOCK.finditer(page)]


def commands_of(page: str) -> list[list[str]]:
    """Return the `attn` commands of a guide, in order."""
    lines = (line.split() for text in COMMANDS.findall(page) for line in text.splitlines())
    return [words[1:] for words in lines if words[0] == "attn"]


def follow(block: Block, workspace: Workspace) -> None:
    """Write a block where it says."""
    path = workspace.root / block.file
    if block.how == "a new file":
        assert not path.exists(), f"{block.file} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    stripped = [line.strip() for line in lines]
    assert not block.line or stripped.count(block.line) == 1, f"{block.file} should hold the line {block.line} once"
    place = stripped.index(block.line) + 1 if block.line else len(lines)
    path.write_text("".join([*lines[:place], block.text, *lines[place:]]), encoding="utf-8")

"""Playing a page's transcripts: its edits are made in a copy of the course, its `attn` commands are run there, in order.

`python tests/support/transcript.py README.md` writes what the commands print now into the page.
"""

import ast
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course_copy import copy_course

from autograder.exam.reference import definitions
from autograder.workspace import Workspace

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Played:
    """One command of a page: what the page shows, and what it printed."""

    command: str
    shown: str
    printed: str


def as_process(command: str, workspace: Workspace) -> str:
    """Run a command as a reader does; return what it prints on 80 columns."""
    program, *arguments = command.split()
    done = subprocess.run(
        [str(Path(sys.executable).with_name(program)), *arguments],
        cwd=workspace.root,
        env={**os.environ, "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    return done.stdout


def play(
    page: str, fresh_copy: Callable[[], Workspace], run: Callable[[str, Workspace], str] = as_process
) -> Iterator[Played]:
    """Make the page's edits and run its commands, one after the other; each section begins with a fresh copy.

    run: runs a command in a checkout and returns what it prints.
    """
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        blocks = BLOCK.findall(section)
        workspace = fresh_copy() if blocks else None
        for kind, text in blocks:
            assert workspace
            if kind == "python":
                _edit(workspace, text)
                continue
            for session in _sessions(text):
                command, _, shown = session.partition("\n")
                yield Played(command, shown, run(command, workspace))


def updated(page: str, fresh_copy: Callable[[], Workspace]) -> str:
    """Return the page with every transcript as it would be printed now."""
    played = iter(list(play(page, fresh_copy)))

    def fill(match: re.Match[str]) -> str:
        if match[1] == "python":
            return match[0]
        shown = [next(played) for _ in _sessions(match[2])]
        return "```console\n" + "".join(f"$ {one.command}\n{one.printed}" for one in shown) + "```"

    return BLOCK.sub(fill, page)


def _sessions(text: str) -> list[str]:
    """Return the commands of a block, each with what it shows."""
    return re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]


def _edit(workspace: Workspace, text: str) -> None:
    """Put a function in place of the one of that name, in the file that the first line names."""
    comment, _, code = text.partition("\n")
    path = workspace.root / comment.removeprefix("# ")
    lines = path.read_text(encoding="utf-8").splitlines()
    (new,) = definitions(ast.parse(code))
    old = next(node for node in definitions(ast.parse("\n".join(lines))) if node.name == new.name)
    lines[old.lineno - 1 : old.end_lineno] = code.rstrip("\n").splitlines()
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write the transcripts of a page anew."""
    page = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        copies = (Path(folder) / f"course{number}" for number in itertools.count())
        text = updated(page.read_text(encoding="utf-8"), lambda: copy_course(page.parent, next(copies)))
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

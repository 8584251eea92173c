"""Docstrings as Markdown."""

import re
from collections.abc import Iterable


def arguments_of(signature: str) -> list[str]:
    """Return the names of a step's arguments. signature: as the syllabus writes it."""
    return re.findall(r"(\w+): ", signature)


def prose(docstring: str, arguments: Iterable[str] = ()) -> str:
    """Return a docstring as Markdown: each argument, result and error gets its own line.

    arguments: the names that begin such a line, if a line or a sentence ends before them.
    """
    name = f"(?:{'|'.join(map(re.escape, arguments)) or '(?!)'})"
    entry = re.compile(rf"(?:\n *|(?<=\.) )(?={name}(?:, {name})*: |Returns |Raises )")
    return "\n\n".join("  \n".join(map(_joined, entry.split(paragraph))) for paragraph in docstring.split("\n\n"))


def _joined(entry: str) -> str:
    return " ".join(line.strip() for line in entry.splitlines())

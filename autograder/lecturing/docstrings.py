"""Docstrings as Markdown."""

import re

ENTRY = re.compile(r"[A-Za-z_]\w*(, [A-Za-z_]\w*)*: |Returns |Raises ")
"""How a line of a docstring begins that says something of its own."""


def prose(docstring: str) -> str:
    """Return a docstring as Markdown: what each argument is stands in a line of its own."""
    return "\n\n".join("  \n".join(_entries(paragraph)) for paragraph in docstring.split("\n\n"))


def _entries(paragraph: str) -> list[str]:
    entries: list[str] = []
    for line in map(str.strip, paragraph.splitlines()):
        if entries and not ENTRY.match(line):
            entries[-1] += f" {line}"
        else:
            entries.append(line)
    return entries

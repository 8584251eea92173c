"""Docstrings as Markdown."""

import re
from collections.abc import Iterable, Iterator

SENTENCE_ON_ALL = re.compile(r"(?<=\.)\n *(?=[A-Z])")
"""In front of a sentence that begins a line: it belongs to no entry above it."""


def arguments_of(signature: str) -> list[str]:
    """Return the names of a step's arguments. signature: as the syllabus writes it."""
    return re.findall(r"(\w+): ", signature)


def prose(docstring: str, arguments: Iterable[str] = ()) -> str:
    """Return a docstring as Markdown: each argument, result and error gets its own line.

    arguments: the names that begin such a line, if a line or a sentence ends before them.
    """
    return "\n\n".join("  \n".join(entries) for entries in _paragraphs(docstring, arguments))


def definitions(docstring: str, arguments: Iterable[str] = ()) -> str:
    """Return a docstring as Markdown in which what it explains are the terms of a list of definitions.

    arguments: the names that begin an entry, if a line or a sentence ends before them.
    """
    term = re.compile(rf"({_names(arguments)}): (.*)")
    apart = SENTENCE_ON_ALL.sub("\n\n", docstring)
    return "\n\n".join(_definition(term, entry) for entries in _paragraphs(apart, arguments) for entry in entries)


def _definition(term: re.Pattern[str], entry: str) -> str:
    found = term.fullmatch(entry)
    if not found:
        return entry
    names, told = found.groups()
    return f"{', '.join(f'`{name}`' for name in names.split(', '))}\n:   {told}"


def _paragraphs(docstring: str, arguments: Iterable[str]) -> Iterator[list[str]]:
    """Yield the entries of each paragraph: an argument, what is returned or raised, or a sentence on all."""
    entry = re.compile(rf"(?:\n *|(?<=\.) )(?={_names(arguments)}: |Returns |Raises )")
    for paragraph in docstring.split("\n\n"):
        yield [" ".join(line.strip() for line in one.splitlines()) for one in entry.split(paragraph)]


def _names(arguments: Iterable[str]) -> str:
    name = f"(?:{'|'.join(map(re.escape, arguments)) or '(?!)'})"
    return f"{name}(?:, {name})*"

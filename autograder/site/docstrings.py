"""Convert docstrings to Markdown."""

import re
from collections.abc import Iterable


def arguments_of(signature: str) -> list[str]:
    """Return the names of a step's arguments. signature: the step's signature in the syllabus."""
    return re.findall(r"(\w+): ", signature)


def prose(docstring: str, arguments: Iterable[str] = ()) -> str:
    """Return a docstring as Markdown in which each argument, the result and each error begin a line.

    arguments: the names to look for, at the start of lines and of sentences.
    """
    name = f"(?:{'|'.join(map(re.escape, arguments)) or '(?!)'})"
    names = f"{name}(?:, {name})*"
    entry = re.compile(rf"(?:\n *|(?<=\.) )(?={names}: |Returns |Raises )")
    paragraphs = []
    for paragraph in docstring.split("\n\n"):
        lines = (" ".join(line.strip() for line in one.splitlines()) for one in entry.split(paragraph))
        paragraphs.append("  \n".join(re.sub(rf"^{names}(?=: )", _as_code, line) for line in lines))
    return "\n\n".join(paragraphs)


def _as_code(names: re.Match[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[0].split(", "))

"""Convert docstrings to Markdown."""

import re


def prose(docstring: str, signature: str = "") -> str:
    """Return a docstring as Markdown in which each argument, the result and each error begin a line.

    signature: as in the syllabus; its arguments are found at the start of lines and of sentences.
    """
    arguments = re.findall(r"(\w+): ", signature)
    name = f"(?:{'|'.join(arguments) or '(?!)'})"
    names = f"{name}(?:, {name})*"
    entry = re.compile(rf"(?:\n *|(?<=\.) )(?={names}: |Returns |Raises )")
    paragraphs = []
    for paragraph in docstring.split("\n\n"):
        lines = (" ".join(line.strip() for line in one.splitlines()) for one in entry.split(paragraph))
        paragraphs.append("  \n".join(re.sub(rf"^{names}(?=: )", _as_code, line) for line in lines))
    return "\n\n".join(paragraphs)


def _as_code(names: re.Match[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[0].split(", "))

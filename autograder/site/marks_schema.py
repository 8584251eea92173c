"""Tables that explain the JSON schema of a file of marks."""

import json
from functools import cache
from typing import Any

from autograder.workspace import COURSE

SCHEMA = COURSE.root / "docs" / "reference" / "marks.schema.json"

Json = dict[str, Any]


def fields(name: str = "") -> str:
    """Return a table of an object's fields. name: a definition in the schema; empty for the file."""
    found = _definition(name) if name else _schema()
    always = found["required"]
    rows = [
        f"| `{field}`{'' if field in always else ' (optional)'} | {_type(of)} | {of['description']} |"
        for field, of in found["properties"].items()
    ]
    return "\n".join(["| field | type | what it says |", "| --- | --- | --- |", *rows])


def meanings(name: str) -> str:
    """Return a table of a field's words and their meanings. name: a definition in the schema."""
    rows = [f"| `{choice['const']}` | {choice['description']} |" for choice in _definition(name)["oneOf"]]
    return "\n".join([f"| {name} | what it means |", "| --- | --- |", *rows])


def _definition(name: str) -> Json:
    found: Json = _schema()["$defs"][name]
    return found


@cache
def _schema() -> Json:
    schema: Json = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return schema


def _type(of: Json) -> str:
    """Return a type in words; an object is a link to its section."""
    if "const" in of:
        return f"`{of['const']}`"
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "anyOf" in of:
        return " or ".join(map(_type, of["anyOf"]))
    if of["type"] == "array":
        return f"list of {_type(of['items'])}"
    return " or ".join([of["type"]] if isinstance(of["type"], str) else of["type"])

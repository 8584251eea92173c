"""Make tables that explain the JSON schema of marks."""

import json
from typing import Any

from autograder.site.figure import table_of
from autograder.workspace import COURSE

SCHEMA = COURSE.root / "docs" / "reference" / "marks.schema.json"


def fields(name: str = "") -> str:
    """Return a table of an object's fields, or of the words that a field may contain.

    name: the name of a definition in the schema; empty for the whole file.
    """
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    found = schema["$defs"][name] if name else schema
    if words := found.get("oneOf"):
        return table_of([[name, "what it means"], *([f"`{word['const']}`", word["description"]] for word in words)])
    rows = [
        [f"`{field}`{'' if field in found['required'] else ' (optional)'}", _type(of), of["description"]]
        for field, of in found["properties"].items()
    ]
    return table_of([["field", "type", "what it says"], *rows])


def _type(of: dict[str, Any]) -> str:
    """Return a field's type in words. An object's name is a link to the section on the object."""
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

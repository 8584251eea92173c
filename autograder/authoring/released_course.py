"""`course.toml` as a release has it: with the parts that are in it, what is said of them, and where the pages are published."""

import json
import re
import tomllib
from collections.abc import Collection
from datetime import datetime
from typing import Any

BARE = re.compile(r"[\w-]+", re.ASCII)
"""A key that TOML reads without quotes."""


def released(text: str, parts: Collection[str], site: str) -> str:
    """Return what a course's file says with no more than these parts. site: where the pages are published, empty for nowhere."""
    data = tomllib.loads(text)
    data["parts"] = [name for name in data["parts"] if name in parts]
    for table in {
        "steps",
        "due",
    } & data.keys():  # what counts of each step, and until when each part is to be handed in
        data[table] = {name: said for name, said in data[table].items() if name.partition(".")[0] in parts}
    return written(data | ({"site": site} if site else {}))


def written(data: dict[str, Any]) -> str:
    """Return data as the text of a TOML file, each key of a table on a line of its own."""
    tables = {name: value for name, value in data.items() if isinstance(value, dict)}
    lines = [_line(name, value) for name, value in data.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]", *(_line(key, value) for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _line(name: str, value: Any) -> str:
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    match value:
        case dict():
            inside = ", ".join(_line(key, one) for key, one in value.items())
            return f"{{ {inside} }}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case datetime():
            return value.isoformat()
        case _:
            return json.dumps(value, ensure_ascii=False)  # of texts, numbers, true and false as in JSON

"""A record of labs whose numbers depend on the machine, as JSON: pages draw it, so that they look the same on every machine."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.labs.lab import Curves


@dataclass(frozen=True)
class Record:
    """What labs have found with the reference. machine: processor, Python, torch. date: when. labs: by their names."""

    machine: str
    date: str
    labs: Mapping[str, tuple[Curves, ...]]


def write_record(record: Record, path: Path) -> None:
    """Write a record."""
    path.write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """Read a record back."""
    data = json.loads(path.read_text(encoding="utf-8"))
    labs = {
        name: tuple(
            Curves(one["quantity"], tuple(one["tokens"]), {way: tuple(line) for way, line in one["lines"].items()})
            for one in found
        )
        for name, found in data["labs"].items()
    }
    return Record(data["machine"], data["date"], labs)

"""The labs on the reference, written to docs/labs/measured.json, whose numbers the pages draw. Run: python benchmarks/labs.py."""

import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from machine import describe_machine

from autograder.workspace import Workspace
from workbench.labs import LABS
from workbench.labs.lab import Record
from workbench.own_code import loaded

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs" / "labs" / "measured.json"
TIMED = ("cache-speed", "against-torch")
"""The labs whose numbers depend on the machine; those of the others are exact, and computed when a page is made."""


def main() -> None:
    """Run each lab as `attn lab --reference` does, and keep what the timed ones find."""
    found = {}
    for name, lab in LABS.items():
        begun = time.perf_counter()
        with loaded(Workspace(ROOT).solutions, lab.parts) as own:
            found[name] = lab.measure(own, lab.longest, lambda doing: None)
        print(f"{name:<16} {time.perf_counter() - begun:5.1f} s (aim: 30)   {lab.says(found[name])}")
    record = Record(describe_machine(), f"{datetime.now(UTC):%Y-%m-%d}", {name: found[name] for name in TIMED})
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    print(f"{record.machine}, {record.date}: written to {MEASURED.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

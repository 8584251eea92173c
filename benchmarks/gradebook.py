"""Writing a class into the gradebook: seconds, the first time and again, on SQLite and PostgreSQL.

Run: python benchmarks/gradebook.py. What nbgrader costs to import is no part of the figures.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

import graded  # noqa: E402
import postgres  # noqa: E402

from autograder.exam.syllabus import load  # noqa: E402
from autograder.workspace import Workspace  # noqa: E402

STUDENTS = 300
RUNS = 3
AIM = 60


def main() -> None:
    """Write a class of which every other step is wrong, three times into an empty gradebook, and each time once more."""
    print(f"{describe_machine()}; {STUDENTS} students, all parts, half of the steps wrong, median of {RUNS}")
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", lambda: str(Path(folder) / f"{time.monotonic_ns()}.db"))
    with postgres.server() as server:
        measure("PostgreSQL", server.new_database)


def measure(name: str, new_gradebook: Callable[[], str]) -> None:
    syllabus = load(Workspace(ROOT).syllabus)
    wrong = [step.name for step in syllabus.steps][::2]
    parts = [part.name for part in syllabus.parts]
    marks = [graded.marks_of(syllabus, f"s{number:04}", wrong, parts=parts) for number in range(STUDENTS)]
    first: list[float] = []
    again: list[float] = []
    for _ in range(RUNS):
        url = new_gradebook()
        for seconds in (first, again):
            begun = time.perf_counter()
            graded.put(url, syllabus, *marks)
            seconds.append(time.perf_counter() - begun)
    print(f"{name:<12} first {statistics.median(first):5.1f} s   again {statistics.median(again):5.1f} s   aim: {AIM}")


if __name__ == "__main__":
    main()

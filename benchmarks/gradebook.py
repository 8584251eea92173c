"""Writing a class into the gradebook: milliseconds a submission of a part, the first time and again, on SQLite and PostgreSQL.

Run: python benchmarks/gradebook.py. PostgreSQL is left out where its packages are missing. What nbgrader costs to import is no
part of the figures.
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

STUDENTS = 500
RUNS = 3
AIM = 5


def main() -> None:
    """Write a class of which every other step is wrong, three times into an empty gradebook, and each time once more."""
    print(f"{describe_machine()}; {STUDENTS} students, 4 parts, half of the steps wrong, median of {RUNS}")
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", lambda: str(Path(folder) / f"{time.monotonic_ns()}.db"))
    if programs := postgres.programs():
        with postgres.server(programs) as server:
            measure("PostgreSQL", server.new_database)
    else:
        print(postgres.MISSING)


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
            written = graded.put(url, syllabus, *marks)
            seconds.append(1000 * (time.perf_counter() - begun) / written.submissions)
    times = f"first {statistics.median(first):5.2f} ms   again {statistics.median(again):5.2f} ms"
    print(f"{name:<12} {times}   a submission of a part   aim: {AIM}")


if __name__ == "__main__":
    main()

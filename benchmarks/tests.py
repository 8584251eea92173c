"""Where the time of the tests goes, by folder and by file.

Run: `python benchmarks/tests.py` runs what `make test` runs and reads its report; `python benchmarks/tests.py RUN.xml` reads the
report of an earlier run, which `pytest --junitxml RUN.xml` writes.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 20


@dataclass(frozen=True)
class Test:
    """One test of a run. file: `tests/engine/cli/test_check.py`. seconds: with what it had to set up and take down."""

    file: str
    seconds: float

    @property
    def folder(self) -> str:
        """The folder of its file."""
        return self.file.rpartition("/")[0]


def run_tests(report: Path) -> None:
    """Run the command of `make test`, and print how long it took by the clock."""
    command = subprocess.run(
        ["make", "--silent", "--dry-run", "test"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    begun = time.perf_counter()
    *_, tests = command.stdout.splitlines()  # before them, what looks for system packages
    subprocess.run(f"{tests} -q --junitxml {report}", shell=True, cwd=ROOT, check=False)
    print(f"{time.perf_counter() - begun:.0f} s by the clock")


def read_run(report: Path) -> list[Test]:
    """Return the tests of a run, as pytest's JUnit file tells them."""
    cases = ElementTree.parse(report).iter("testcase")
    return [Test(_file_of(case.get("classname", "")), float(case.get("time", 0))) for case in cases]


def _file_of(classname: str) -> str:
    """Return the file of a test from the name that JUnit has for it: `tests.cli.test_check`."""
    return f"{classname.replace('.', '/')}.py"


def print_by(what: str, tests: list[Test], group_of: Callable[[Test], str], most: int | None = None) -> None:
    """Print the groups of tests by the seconds that they took, the longest first."""
    groups: dict[str, list[float]] = {}
    for test in tests:
        groups.setdefault(group_of(test), []).append(test.seconds)
    print(f"\n{'seconds':>9} {'tests':>6}  {what}")
    for group in sorted(groups, key=lambda group: -sum(groups[group]))[:most]:
        print(f"{sum(groups[group]):9.1f} {len(groups[group]):6}  {group}")


def main() -> None:
    """Print the groups of one run."""
    if len(sys.argv) > 1:
        tests = read_run(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            run_tests(Path(folder) / "run.xml")
            tests = read_run(Path(folder) / "run.xml")
    print(describe_machine())
    print(f"{len(tests)} tests, {sum(test.seconds for test in tests):.0f} s of all processes that tested")
    print_by("folder", tests, lambda test: test.folder)
    print_by(f"file, the {MOST_FILES} longest", tests, lambda test: test.file, MOST_FILES)


if __name__ == "__main__":
    main()

"""`pytest exercises` against `attn check`, all steps solved. Run: python benchmarks/pytest_plugin.py.

A student's environment has only the project's dependencies: plugins of other installed packages would be timed, too.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import describe_machine, report
from solved_course import solved_course

BIN = Path(sys.executable).parent
RUNS = 11
COMMANDS = {
    "attn check": ("attn", "check"),
    "pytest exercises": ("pytest", "exercises"),
    "pytest exercises --collect-only": ("pytest", "exercises", "--collect-only"),
    "attn check softmax": ("attn", "check", "softmax"),
    "pytest exercises -k softmax": ("pytest", "exercises", "-k", "softmax"),
}


def timed(folder: Path, command: tuple[str, ...]) -> float:
    """Return how many seconds a command takes."""
    begun = time.perf_counter()
    subprocess.run(
        [BIN / command[0], *command[1:]], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - begun


def main() -> None:
    """Time each command in turn, so that a change of the machine's speed meets all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        course = solved_course(Path(folder))
        for command in COMMANDS.values():
            timed(course, command)
        for _ in range(RUNS):
            for name, command in COMMANDS.items():
                seconds[name].append(timed(course, command))
    print(describe_machine())
    for name, values in seconds.items():
        report(name, values)
    beyond = [one - other for one, other in zip(seconds["pytest exercises"], seconds["attn check"], strict=True)]
    print(f"pytest exercises beyond attn check: median {1000 * statistics.median(beyond):.0f} ms (aim: 0)")


if __name__ == "__main__":
    main()

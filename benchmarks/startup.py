"""Cold starts: the verbs that only show, and `attn check` against a bare `import torch`. Run: python benchmarks/startup.py."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import describe_machine, report
from solved_course import solved_course

ATTN = str(Path(sys.executable).with_name("attn"))
RUNS = 11
SHOWING = ((), ("--help",), ("list",), ("show", "softmax"), ("hint", "softmax"))
"""The verbs that answer without torch."""


def timed(course: str, *command: str) -> float:
    """Return how many seconds a command takes."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=course, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def main() -> None:
    """Time each command in turn, so that a change of the machine's speed meets all of them."""
    showing = {" ".join(("attn", *arguments)): (ATTN, *arguments) for arguments in SHOWING}
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        **showing,
        "python -c 'import torch'": (sys.executable, "-c", "import torch"),
        "attn check --from solutions": (ATTN, "check", "--from", "solutions"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as course:  # so that the hints that this checkout has shown stay as they are
        solved_course(Path(course))
        for command in commands.values():
            timed(course, *command)
        for _ in range(RUNS):
            for name, command in commands.items():
                seconds[name].append(timed(course, *command))
    print(describe_machine())
    for name, values in seconds.items():
        report(name, values, "aim: 300" if name in showing else "")
    torch, check = seconds["python -c 'import torch'"], seconds["attn check --from solutions"]
    beyond = [one - other for one, other in zip(check, torch, strict=True)]
    print(f"attn check beyond a bare import torch: median {1000 * statistics.median(beyond):.0f} ms (aim: 500)")


if __name__ == "__main__":
    main()

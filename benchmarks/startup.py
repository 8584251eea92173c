"""From a command to its answer: the verbs that only show, `attn check` against a bare `import torch`, and with torch standing by.

Run: python benchmarks/startup.py.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from machine import describe_machine, report
from solved_course import solved_course

ATTN = str(Path(sys.executable).with_name("attn"))
RUNS = 11
SHOWING = ((), ("--help",), ("list",), ("show", "softmax"), ("hint", "softmax"))
"""The verbs that answer without torch."""


COLD = "attn check --from solutions"
STANDBY = "attn check softmax, torch standing by"


def timed(course: str, name: str, command: Sequence[str]) -> float:
    """Return how many seconds a command takes."""
    environment = os.environ | {"ATTN_STANDBY": "60" if name == STANDBY else "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # which no student has: it compiles each module every time
    begun = time.perf_counter()
    subprocess.run(
        command, cwd=course, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return time.perf_counter() - begun


def main() -> None:
    """Time each command in turn, so that a change of the machine's speed meets all of them."""
    showing = {" ".join(("attn", *arguments)): (ATTN, *arguments) for arguments in SHOWING}
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        **showing,
        "python -c 'import torch'": (sys.executable, "-c", "import torch"),
        COLD: (ATTN, "check", "--from", "solutions"),
        "attn check softmax": (ATTN, "check", "softmax"),
        STANDBY: (ATTN, "check", "softmax"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as course:  # so that the hints that this checkout has shown stay as they are
        solved_course(Path(course))
        for name, command in commands.items():
            timed(course, name, command)
        for _ in range(RUNS):
            for name, command in commands.items():
                seconds[name].append(timed(course, name, command))
        subprocess.run([ATTN, "stop"], cwd=course, stdout=subprocess.DEVNULL, check=True)
    print(describe_machine())
    for name, values in seconds.items():
        report(name, values, "aim: 300" if name in (*showing, STANDBY) else "")
    torch, check = seconds["python -c 'import torch'"], seconds[COLD]
    beyond = [one - other for one, other in zip(check, torch, strict=True)]
    print(f"attn check beyond a bare import torch: median {1000 * statistics.median(beyond):.0f} ms (aim: 500)")


if __name__ == "__main__":
    main()

"""The course's check of itself, `attn verify`, and setting an exam. Run: python benchmarks/verification.py."""

import subprocess
import sys
import time
from pathlib import Path

from machine import describe_machine, report

from autograder.course.course import read_course
from autograder.exam.build import build_exam

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3
COMMANDS = {
    "verify": "aim: 60 000",
    "verify part1_simplified.softmax": "aim: 5 000",
    "sync --check": "",
    "verify --full": "aim: 180 000",
}
"""Each with its aim."""


def main() -> None:
    """Time each command a few times; they are long."""
    print(describe_machine())
    for command, aim in COMMANDS.items():
        report(f"attn {command}", [_seconds_of(command) for _ in range(RUNS)], aim)
    setting = []
    for seed in range(RUNS + 1):
        begun = time.perf_counter()
        build_exam(read_course(ROOT), seed)
        setting.append(time.perf_counter() - begun)
    report("setting the exam, with known mistakes", setting[1:], "aim: 10 000")


def _seconds_of(command: str) -> float:
    begun = time.perf_counter()
    words = [str(Path(sys.executable).with_name("attn")), *command.split()]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()

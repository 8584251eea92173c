"""The course's full check of itself, `attn verify --full`, and setting an exam. Run: python benchmarks/verification.py."""

import subprocess
import sys
import time
from pathlib import Path

from machine import describe_machine, report

from autograder.course.course import read_course
from autograder.exam.setting import set_exam

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3


def main() -> None:
    """Time the command a few times; it is long."""
    verifying, setting = [], []
    for _ in range(RUNS):
        begun = time.perf_counter()
        command = [str(Path(sys.executable).with_name("attn")), "verify", "--full"]
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        verifying.append(time.perf_counter() - begun)
        assert found.returncode == 0, found.stdout + found.stderr
    for seed in range(RUNS + 1):
        begun = time.perf_counter()
        set_exam(read_course(ROOT), seed)
        setting.append(time.perf_counter() - begun)
    print(describe_machine())
    report("attn verify --full", verifying, "aim: 180 000")
    report("setting the exam, with known mistakes", setting[1:], "aim: 10 000")


if __name__ == "__main__":
    main()

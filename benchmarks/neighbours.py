"""What a submission that takes all threads it can get costs the one marked beside it. Run: python benchmarks/neighbours.py."""

import statistics
import time
from concurrent.futures import Executor
from pathlib import Path

from machine import describe_machine

from autograder.classroom.executors import LocalWorkers
from autograder.classroom.grader import Conditions
from autograder.classroom.marking_process import grade
from autograder.sandbox import FULL, KERNEL
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
PART = "part1_simplified"
TIMES = 3
TIMEOUT = 20.0
UNTIL_THERE = 3.0
"""Seconds after which the threads of the greedy one compute."""

GREEDY = """
import threading
import torch

all_are_there = threading.Event()

def work():
    all_are_there.wait()
    x = torch.ones(1000, 1000)
    while True:
        x = (x @ x).clamp(max=1)

def start():
    try:
        while True:
            threading.Thread(target=work, daemon=True).start()
    except RuntimeError:
        all_are_there.set()
        work()

start()
"""
"""Starts threads that compute, which Python's lock does not hold back, until no more can be had."""


def main() -> None:
    """Mark honest submissions alone, and beside one that is greedy until its time-out, by two graders."""
    workspace = Workspace(ROOT)
    text = (ROOT / "solutions" / f"{PART}.py").read_text(encoding="utf-8")
    exam = workspace.practice_exam.read_bytes()
    print(describe_machine())
    for level in (FULL, KERNEL):
        conditions = Conditions(ROOT, exam, (PART,), level, TIMEOUT)
        with LocalWorkers(conditions, jobs=2).executor() as executor:
            for submission in ("warm", "warm too"):
                executor.submit(grade, conditions.digest, _submission(submission, text)).result()
            print(f"{level}, alone: {_seconds(executor, conditions, text)}")
            beside = executor.submit(grade, conditions.digest, _submission("greedy", GREEDY))
            time.sleep(UNTIL_THERE)
            print(f"{level}, beside a greedy one: {_seconds(executor, conditions, text)}")
            assert not beside.done(), "the greedy one was over before that"


def _submission(name: str, text: str) -> Submission:
    return Submission(name, {PART: Source.module(f"{PART}.py", text)})


def _seconds(executor: Executor, conditions: Conditions, text: str) -> str:
    """Mark an honest submission a few times; return what that took."""
    taken = []
    for number in range(TIMES):
        begun = time.monotonic()
        executor.submit(grade, conditions.digest, _submission(f"honest {number}", text)).result()
        taken.append(time.monotonic() - begun)
    return f"{statistics.median(taken):.2f} s a submission, {max(taken):.2f} s at most"


if __name__ == "__main__":
    main()

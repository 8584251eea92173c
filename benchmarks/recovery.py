"""The warm process is killed: how long until the next sitting is done, and how much memory a runner takes.

Linux alone: memory is the proportional set size of all processes that a runner has started. Run: python benchmarks/recovery.py.
"""

import contextlib
import functools
import os
import signal
import time
from pathlib import Path

from machine import describe_machine, report

from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.runner.processes import Runner, Server
from autograder.runner.run import run
from autograder.submission.model import Submission, read_folder
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
PART = "part1_simplified"
RUNS = 30
PAUSE = 1.0
"""Seconds between two sittings: a student reads what was said."""


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    with contextlib.suppress(OSError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            found |= {int(child) for child in (task / "children").read_text(encoding="utf-8").split()}
    return found.union(*map(descendants, found))


def proportional_megabytes(pid: int) -> float:
    with contextlib.suppress(OSError):  # it has ended
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def one_run(runner: Runner, submission: Submission, exam: Exam) -> float:
    """Return the seconds that a sitting of the first part takes."""
    wanted = {PART: frozenset(step.name for step in exam.syllabus.part(PART).steps)}
    begun = time.perf_counter()
    run(runner, submission, exam.syllabus, exam.paper, wanted, is_right=exam.key.is_right)
    return time.perf_counter() - begun


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        while ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8"):
            time.sleep(0.001)


def main() -> None:
    """Kill forkers and workers."""
    workspace = Workspace(ROOT)
    exam = read_exam(workspace.practice_exam)
    submission = read_folder(workspace.solutions, [PART])
    print(describe_machine())
    for name, forks in (("forks", True), ("spawns", False)):
        runner = Runner(ROOT, functools.partial(Server, forks=forks))
        one_run(runner, submission, exam)
        undisturbed, recovered = [], []
        for _ in range(RUNS):
            time.sleep(PAUSE)
            undisturbed.append(one_run(runner, submission, exam))
            kill(runner.process.pid)
            recovered.append(one_run(runner, submission, exam))
        time.sleep(PAUSE)
        processes = descendants(os.getpid())
        memory = sum(map(proportional_megabytes, processes))
        runner.close()
        report(f"{name}: a sitting", undisturbed)
        report(f"{name}: the first after a kill", recovered)
        print(f"{name}: {memory:.0f} MB in {len(processes)} processes")


if __name__ == "__main__":
    main()

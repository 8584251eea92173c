"""The warm process is killed: how long until the next sitting is done, and how much memory a sitter takes.

Linux alone: memory is the proportional set size of all processes that a sitter has started. Run: python benchmarks/recovery.py.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

from machine import describe_machine, report

from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.sitting.host import sit
from autograder.sitting.processes import Sitter
from autograder.sitting.processes.forker import Forker
from autograder.sitting.processes.process import StartedProcess
from autograder.sitting.processes.worker import Worker
from autograder.sitting.submission import Submission, read_folder
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


def one_sitting(sitter: Sitter, submission: Submission, exam: Exam) -> float:
    """Return the seconds that a sitting of the first part takes."""
    wanted = {PART: frozenset(step.name for step in exam.syllabus.part(PART).steps)}
    begun = time.perf_counter()
    sit(sitter, submission, exam.syllabus, exam.paper, wanted, is_right=exam.key.is_right)
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
    for kind in (Forker, Worker):
        name, sitter = kind.__name__.lower(), Sitter(ROOT, kind)
        one_sitting(sitter, submission, exam)
        undisturbed, recovered = [], []
        for _ in range(RUNS):
            time.sleep(PAUSE)
            undisturbed.append(one_sitting(sitter, submission, exam))
            assert isinstance(sitter.process, StartedProcess)
            kill(sitter.process.pid)
            recovered.append(one_sitting(sitter, submission, exam))
        time.sleep(PAUSE)
        processes = descendants(os.getpid())
        memory = sum(map(proportional_megabytes, processes))
        sitter.close()
        report(f"{name}: a sitting", undisturbed)
        report(f"{name}: the first after a kill", recovered)
        print(f"{name}: {memory:.0f} MB in {len(processes)} processes")


if __name__ == "__main__":
    main()

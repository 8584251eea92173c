"""A sitting in a forked child: its time, its memory beyond the forker's, and marking. Run: python benchmarks/sitting.py."""

import threading
import time
from pathlib import Path

from machine import describe_machine, report

from autograder.exam.files import read_exam
from autograder.marking.mark import mark
from autograder.sitting.host import sit
from autograder.sitting.processes import Sitter
from autograder.sitting.processes.forker import Forker
from autograder.sitting.processes.process import StartedProcess
from autograder.sitting.processes.worker import Worker
from autograder.sitting.submission import read_folder
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
RUNS = 50


def private_kilobytes(pid: int) -> int:
    """Return the memory that a process shares with no other, in kB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def largest_child(parent: int, stop: threading.Event) -> list[int]:
    """Watch the children of a process until told to stop; return the private memory of each look at one."""
    seen = []
    while not stop.is_set():
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
        except OSError:
            break
        seen += [private_kilobytes(int(child)) for child in children]
        time.sleep(0.001)
    return seen


def main() -> None:
    """Let the solutions sit the practice exam again and again."""
    workspace = Workspace(ROOT)
    exam = read_exam(workspace.practice_exam)
    wanted = {part.name: frozenset(step.name for step in part.steps) for part in exam.syllabus.parts}
    submission = read_folder(workspace.solutions, wanted)
    relations = workspace.course.own_relations()
    forker = Sitter(ROOT, Forker)
    sit(forker, submission, exam.syllabus, exam.paper, wanted)
    sittings: dict[float, list[float]] = {0.0: [], 0.1: []}
    at_once, markings = [], []
    for pause, seconds in sittings.items():
        for _ in range(RUNS):
            time.sleep(pause)
            begun = time.perf_counter()
            answers = sit(forker, submission, exam.syllabus, exam.paper, wanted)
            middle = time.perf_counter()
            assert mark(exam, answers, submission, relations).passed
            seconds.append(middle - begun)
            at_once.append(time.perf_counter() - middle)
    for _ in range(RUNS):
        begun = time.perf_counter()
        mark(exam, answers, submission, relations)
        markings.append(time.perf_counter() - begun)
    by_part: dict[str, list[float]] = {name: [] for name in wanted}
    for _ in range(RUNS):
        for name, seconds in by_part.items():
            begun = time.perf_counter()
            sit(forker, submission, exam.syllabus, exam.paper, {name: wanted[name]})
            seconds.append(time.perf_counter() - begun)
    stop, seen = threading.Event(), []
    assert isinstance(forker.process, StartedProcess)
    pid = forker.process.pid
    thread = threading.Thread(target=lambda: seen.extend(largest_child(pid, stop)))
    thread.start()
    for _ in range(RUNS):
        sit(forker, submission, exam.syllabus, exam.paper, wanted)
    stop.set()
    thread.join()
    forker.close()
    worker = Sitter(ROOT, Worker)
    sit(worker, submission, exam.syllabus, exam.paper, wanted)
    reused = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        sit(worker, submission, exam.syllabus, exam.paper, wanted)
        reused.append(time.perf_counter() - begun)
    worker.close()
    print(describe_machine())
    print(f"{len(exam.paper.cases)} cases in all parts, a forked child a part")
    report("all parts, one sitting after the other", sittings[0.0], "aim: 200")
    report("all parts, 0.1 s after the last sitting", sittings[0.1], "aim: 200")
    for name, seconds in by_part.items():
        report(f"{name} alone", seconds)
    report("marking them", markings, "aim: 20")
    report("marking them at once", at_once)
    report("all parts in a warm spawned worker", reused)
    print(f"memory of a child beyond the forker's: at most {max(seen) / 1024:.1f} MB of {len(seen)} looks (aim: 30)")


if __name__ == "__main__":
    main()

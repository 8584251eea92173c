"""Marking a class: its rate beside nbgrader's, memory, and the cost of an endless loop.

Run: python benchmarks/classroom.py [--many N]. Needs bubblewrap, and nbgrader beside the packages of the course.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from machine import describe_machine
from peers import NbgraderCourse

from autograder.course.verdicts import Verdict
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam
from autograder.grading.results import marks_from_json
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CLASS = 200
PEERS = 6
LOOP = "\n\ndef softmax(scores):\n    while True:\n        pass\n"
TIMEOUT = 2
WITHOUT_CAUSES = ("--causes", "none")
"""The rate of marking; the search for causes takes up to a third of a second a wrong step."""


def texts(workspace: Workspace, exam: Exam, number: int) -> dict[str, str]:
    """Return a student's modules: the solutions, in which every other student has three wrong functions a part."""
    found = {}
    for part in exam.syllabus.parts:
        text = (workspace.solutions / f"{part.name}.py").read_text(encoding="utf-8")
        functions = [step.name for step in part.steps if step.kind == "function"]
        wrong = {functions[(number + shift) % len(functions)] for shift in range(3)} if number % 2 else set()
        for name in sorted(wrong):
            text += f"\n\n_{name} = {name}\n\n\ndef {name}(*inputs):\n    return _{name}(*inputs) * 1.5\n"
        found[part.name] = text
    return found


def write_class(folder: Path, number: int, modules: Callable[[int], dict[str, str]]) -> Path:
    for student in range(number):
        own = folder / f"s{student:05}"
        own.mkdir(parents=True)
        for part, text in modules(student).items():
            (own / f"{part}.py").write_text(text, encoding="utf-8")
    return folder


class Run:
    """One run of `attn grade`: its seconds, and the largest memory of the judge's processes in MB."""

    def __init__(self, folder: Path, exam: Path, *options: str) -> None:
        out = folder.with_name(f"{folder.name}-out")
        shutil.rmtree(out, ignore_errors=True)
        command = [BIN / "attn", "grade", folder, "--out", out, "--exam", exam, *options]
        begun = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.main_memory, self.grader_memory = 0.0, 0.0
        watching = threading.Thread(target=self._watch, args=(process,))
        watching.start()
        self.shown, _ = process.communicate()
        self.seconds = time.perf_counter() - begun
        watching.join()
        self.marks = [marks_from_json(path.read_bytes()) for path in sorted((out / "marks").iterdir())[:CLASS]]
        self.sitting = sum(marks.seconds for marks in self.marks)

    def _watch(self, process: "subprocess.Popen[str]") -> None:
        while process.poll() is None:
            self.main_memory = max(self.main_memory, peak_memory(process.pid))
            for child in children(process.pid):
                self.grader_memory = max(self.grader_memory, peak_memory(child))
            time.sleep(0.25)


def peak_memory(pid: int) -> float:
    """Return the most memory that a process has had, in MB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def show_rates(place: Path, workspace: Workspace, exam: Exam, path: Path) -> None:
    """Print submissions a second of `attn grade` and of nbgrader."""
    steps = {part.name: [step.name for step in part.steps] for part in exam.syllabus.parts}
    folder = write_class(place / "class", CLASS, lambda number: texts(workspace, exam, number))
    run = Run(folder, path, *WITHOUT_CAUSES)
    half_class = write_class(place / "half", CLASS // 2, lambda number: texts(workspace, exam, number))
    half = Run(half_class, path, *WITHOUT_CAUSES)
    searching = Run(half_class, path)
    right = sum(marks.score == marks.max_score for marks in run.marks)
    steady = (CLASS // 2) / (run.seconds - half.seconds)
    rate = CLASS / run.seconds
    print(f"{CLASS} submissions of {len(exam.paper.cases)} cases, {CLASS - right} of them wrong, sandbox full")
    print(f"  --causes none         {run.seconds:8.1f} s, {rate:7.2f} a second with its start, {steady:7.2f} after it")
    searched = f"{searching.seconds:8.1f} s for {CLASS // 2}, {CLASS // 2 / searching.seconds:7.2f} a second"
    print(f"  --causes quick        {searched}; 18 wrong steps in every other submission")
    root = place / "nbgrader"
    root.mkdir()
    course = NbgraderCourse(
        root, path, {part: (workspace.solutions / f"{part}.py").read_text() for part in steps}, steps
    )
    for number in range(PEERS):
        course.submit(f"s{number:05}", texts(workspace, exam, number))
    seconds = course.autograde()
    theirs = PEERS / seconds
    full_marks = sum(map(len, steps.values()))
    agreed = sum((score == full_marks) == (number % 2 == 0) for number, score in enumerate(course.scores().values()))
    print(
        f"  nbgrader autograde    {seconds:8.1f} s for {PEERS}, {theirs:7.3f} a second; {agreed} of {PEERS} judged alike"
    )
    print(f"  attn grade --causes none is {rate / theirs:.0f} times as fast as nbgrader (aim: 100)")


def show_growth(place: Path, workspace: Workspace, exam: Exam, path: Path, many: int) -> None:
    """Print time and memory for ever larger classes of copies of one part."""
    part = exam.syllabus.parts[0].name
    print("\nlarger classes, copies of part 1 (time and memory of the judge: the command, the largest grader)")
    sizes = [size for size in (100, 1_000, 10_000) if size <= many]
    for size in sizes:
        folder = write_class(
            place / f"many{size}",
            size,
            lambda number: {part: f"{texts(workspace, exam, number % 2)[part]}\n# {number}\n"},
        )
        run = Run(folder, path, *WITHOUT_CAUSES)
        per = 1000 * run.seconds / size
        print(
            f"  {size:6} {run.seconds:8.1f} s {per:7.1f} ms each {run.main_memory:6.0f} MB {run.grader_memory:6.0f} MB"
        )
        shutil.rmtree(folder)
        shutil.rmtree(folder.with_name(f"{folder.name}-out"))


def show_loop(place: Path, workspace: Workspace, exam: Exam, path: Path) -> None:
    """Print what one endless loop adds to a class of forty."""
    part = exam.syllabus.parts[0].name
    text = texts(workspace, exam, 0)[part]
    folder = write_class(place / "loop", 40, lambda number: {part: f"{text}\n# {number}\n"})
    without = Run(folder, path, "--timeout", str(TIMEOUT), *WITHOUT_CAUSES)
    (folder / "s00003" / f"{part}.py").write_text(text + LOOP)
    run = Run(folder, path, "--timeout", str(TIMEOUT), *WITHOUT_CAUSES)
    lost = [marks.submission for marks in run.marks if marks.score < marks.max_score]
    hung = sum(step.verdict == Verdict.TIMED_OUT for marks in run.marks for part in marks.parts for step in part.steps)
    print(
        f"\none endless loop among 40, time-out {TIMEOUT} s: {without.seconds:.1f} s without, {run.seconds:.1f} s with it;"
    )
    print(f"  steps that timed out: {hung}; submissions that lost points: {', '.join(lost)}")


def main() -> None:
    """Measure, and print as it comes."""
    words = argparse.ArgumentParser()
    words.add_argument("--many", type=int, default=10_000, help="the largest class")
    many = words.parse_args().many
    workspace = Workspace(ROOT)
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        path = place / "class.exam"
        write_exam(build_exam(workspace.course, seed=7), path)
        exam = read_exam(path)
        show_rates(place, workspace, exam, path)
        show_loop(place, workspace, exam, path)
        show_growth(place, workspace, exam, path, many)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()

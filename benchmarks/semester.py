"""A large class from Canvas's download to uploads for Canvas, Moodle, Gradescope and others: seconds and memory of each command.

Run: python benchmarks/semester.py [--many N]. Each student hands in part 1, each step as the solution or an alternative does, by lot;
every third takes softmax over the wrong dimension. The commands run one after the other, each in a process of its own.
"""

import argparse
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from machine import describe_machine
from similarity import Ways, lot, ways_of

from autograder.exam.syllabus import SyllabusPart, load
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
CLASS = 2_000
MEGABYTE = 1024
REPORT_AIM = 10


def write_download(folder: Path, number: int, part: SyllabusPart, ways: Ways) -> None:
    """Write what Canvas gives as "Download Submissions": a flat folder, one file a student."""
    folder.mkdir()
    chance = random.Random(0)
    for student in range(number):
        text = "\n\n\n".join(lot(chance, ways[step.path]) for step in part.steps)
        late = "_LATE" if student % 20 == 0 else ""
        wrong = text.replace("dim=-1", "dim=0") if student % 3 == 0 else text
        (folder / f"student{student:05}{late}_{100000 + student}_{900000 + student}_{part.name}.py").write_text(
            wrong, encoding="utf-8"
        )


def write_gradebook(path: Path, number: int, part: SyllabusPart) -> None:
    """Write what Canvas exports: a row for each student, one assignment that nobody has points of."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{part.title} (77)"])
        lines.writerow(["    Points Possible", "", "", "", "", f"{part.points:g}"])
        for student in range(number):
            lines.writerow([f"Student{student:05}", 100000 + student, "", f"student{student:05}", "A", ""])


def write_worksheet(path: Path, number: int, part: SyllabusPart) -> None:
    """Write the grading worksheet that Moodle exports for an assignment that nobody has points of."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["Identifier", "Full name", "Username", "Status", "Grade", "Maximum Grade", "Feedback comments"])
        for student in range(number):
            name = f"student{student:05}"
            lines.writerow(
                [f"Participant {7000 + student}", name.title(), name, "Submitted", "", f"{part.points:g}", ""]
            )


def run(name: str, aim: str, *words: object) -> None:
    """Run a command, and print how long it took, on the clock and of the processors, and the memory of the largest of its processes."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    told = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    if (code := os.waitstatus_to_exitcode(status)) not in (0, 3):
        raise SystemExit(f"{name} failed with {code}:\n{told}")
    worked = used.ru_utime + used.ru_stime
    print(f"{name:<24} {seconds:7.1f} s  {worked:7.1f} s  {used.ru_maxrss / MEGABYTE:6,.0f} MB   {aim}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Take a class through every command, and print what each costs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", type=int, default=CLASS)
    many = parser.parse_args(arguments).many
    workspace = Workspace(ROOT)
    syllabus = load(workspace.syllabus)
    part = syllabus.parts[0]
    busy = f"{os.getloadavg()[1]:.0f} processes wanted a core in the last five minutes"
    print(f"{describe_machine()}; {many:,} hand-ins of {part.name}; {busy}")
    print(f"{'':<24} {'clock':>9}  {'processor':>9}  {'memory':>9}")
    place = Path(tempfile.mkdtemp())
    try:
        download, taken, results = place / "download", place / "class", place / "results"
        write_download(download, many, part, ways_of(workspace, syllabus))
        write_gradebook(place / "canvas.csv", many, part)
        write_worksheet(place / "moodle.csv", many, part)
        run("attn collect", "", "collect", download, "--out", taken)
        run("attn grade", "", "grade", taken, "--out", results, "--part", part.name)
        run("attn grade, again", "", "grade", taken, "--out", results, "--part", part.name)
        run("attn report", f"aim {REPORT_AIM} s", "report", results, "--out", place / "report.html")
        platforms: dict[str, tuple[object, ...]] = {
            "csv": (),
            "canvas": ("--canvas", place / "canvas.csv", "--column", f"{part.name}={part.title}"),
            "moodle": ("--moodle", place / "moodle.csv"),
            "gradescope": (),
            "junit": (),
        }
        for form, options in platforms.items():
            out = place / f"uploaded.{form}"
            run(f"attn export, {form}", "", "export", results, "--format", form, "--out", out, *options)
        run("attn similar", "aim 60 s", "similar", taken, "--out", place / "similar.html")
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()

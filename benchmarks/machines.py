"""Marks on other machines: every solution and alternative passes, and every known mistake is caught and named, whatever computes.

Run: python benchmarks/machines.py [--variant NAME ...] [--seeds N] [--python PATH ...]. Each variant, all by default, is a process with its own environment, which sits the
practice exam, as it was made elsewhere, and one that it sets itself. --seeds: as many exams, drawn here, each also with another machine's
noise in its key. --python: an interpreter with another torch. Exit code 1 if anything is marked otherwise.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from machine import describe_machine

from autograder.authoring import alternatives
from autograder.authoring.machine_noise import with_noise
from autograder.authoring.trial import describe_marks, text_with, try_out, try_text
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.runner.processes import Runner, open_worker
from autograder.sandbox import ENVIRONMENT
from autograder.submission.model import read_folder
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = Workspace(ROOT)
SEED = 20_261_122
PATIENCE = 120.0
"""Seconds for a step, on a machine that others use, too."""
PASSED, NAMED = "passed", ", named "
VARIANTS = {
    "this machine": {},
    "no vector instructions": {"ATEN_CPU_CAPABILITY": "default"},
    "AVX2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "AVX-512": {"ATEN_CPU_CAPABILITY": "avx512"},
    "MKL, compatible": {"MKL_CBWR": "COMPATIBLE"},
    "two threads": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_THREAD_LIMIT": "2"},
}


def variants() -> dict[str, dict[str, str]]:
    """Return the environments that this processor can have."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    return {name: one for name, one in VARIANTS.items() if name != "AVX-512" or "avx512f" in flags}


def right_ones(exam: Exam, runner: Runner) -> Iterator[tuple[str, str]]:
    """Yield how every solution and alternative is marked, by what it is."""
    solutions = read_folder(WORKSPACE.solutions, [part.name for part in exam.syllabus.parts])
    for step, marks in try_out(runner, exam, solutions, exam.syllabus.steps, PATIENCE):
        yield f"{step.path}: the solution", describe_marks(marks)
    for part in exam.syllabus.parts:
        for one in alternatives.read(part.name, ROOT / "course" / part.name / "alternatives.py"):
            marks = try_text(runner, exam, part.step(one.step), one.text, PATIENCE)
            yield f"{part.name}.{one.step}: {one.label}", describe_marks(marks)


def mistakes(exam: Exam, runner: Runner) -> Iterator[tuple[str, str]]:
    """Yield the verdict on every known mistake and what it is named, if not as itself."""
    for path, known in exam.key.known_wrong.items():
        part, _, step = path.partition(".")
        for one in known:
            text = text_with(WORKSPACE.course, part, one)
            marks = try_text(runner, exam, exam.syllabus.part(part).step(step), text, PATIENCE)
            named = marks.diagnosis.id if marks.diagnosis else "nothing"
            yield f"{path}: {one.id}", f"{marks.verdict}" + ("" if named == one.id else f"{NAMED}{named}")


def sit() -> int:
    """Print how everything is marked here, in the practice exam and in one that is set here."""
    ENVIRONMENT.update({name: os.environ[name] for name in VARIANTS["two threads"] if name in os.environ})
    exams = {"practice": read_exam(WORKSPACE.practice_exam), "own": build_exam(WORKSPACE.course, SEED)}
    with closing(open_worker(ROOT)) as runner:
        right = {f"{name}, {what}": found for name, exam in exams.items() for what, found in right_ones(exam, runner)}
        wrong = {f"{name}, {what}": found for name, exam in exams.items() for what, found in mistakes(exam, runner)}
    print(json.dumps([right, wrong]))
    return 0


def refused(name: str, right: dict[str, str]) -> int:
    """Print which right ones do not pass, and return how many."""
    lost = {what: found for what, found in right.items() if found != PASSED}
    print(f"{name:<40} {len(right) - len(lost)} of {len(right)} right ones pass")
    print("".join(f"    {what}: {found}\n" for what, found in lost.items()), end="", flush=True)
    return len(lost)


def main() -> int:
    """Try each variant, then each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", action="append", choices=VARIANTS, default=[])
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--sit", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sit:
        return sit()
    print(describe_machine(), flush=True)
    faults = 0
    names = options.variant or ([] if options.seeds or options.python else list(variants()))
    runs = [(name, sys.executable, VARIANTS[name]) for name in names] + [(path, path, {}) for path in options.python]
    for name, python, environment in runs:
        done = subprocess.run(
            [python, __file__, "--sit"], env=os.environ | environment, stdout=subprocess.PIPE, check=True
        )
        right, wrong = json.loads(done.stdout)
        other = {what: found for what, found in wrong.items() if found == PASSED or NAMED in found}
        faults += refused(name, right) + len(other)
        print(f"{'':<40} {len(wrong) - len(other)} of {len(wrong)} known mistakes caught and named")
        print("".join(f"    {what}: {found}\n" for what, found in other.items()), end="", flush=True)
    with closing(open_worker(ROOT)) as runner:
        for seed in range(options.first, options.first + options.seeds):
            exam = build_exam(WORKSPACE.course, seed, with_mistakes=False)
            faults += refused(f"seed {seed}", dict(right_ones(exam, runner)))
            faults += refused(f"seed {seed}, with noise", dict(right_ones(with_noise(exam), runner)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""The cost of searching for causes: `attn check` of a right and of a wrong step, and `attn grade` on a class.

Run: python benchmarks/causes.py [--every N] [--class N] on an idle machine. The wrong steps are those of `tests/course/natural.jsonl.gz`.
"""

import argparse
import contextlib
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from machine import describe_machine, report

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from submissions import Written, natural_submissions  # noqa: E402

from autograder.check import check  # noqa: E402
from autograder.diagnosis import EFFORTS, FULL  # noqa: E402
from autograder.diagnosis.find import find_causes  # noqa: E402
from autograder.exam.build import build_exam  # noqa: E402
from autograder.exam.files import read_exam, write_exam  # noqa: E402
from autograder.exam.model import Exam  # noqa: E402
from autograder.grading.match_known import is_searched  # noqa: E402
from autograder.runner.processes import Runner, open_runner  # noqa: E402
from autograder.submission.model import Source, Submission  # noqa: E402
from autograder.workspace import COURSE  # noqa: E402

RUNS = 3
RIGHT = 20


def show_right(exam: Exam, runner: Runner) -> None:
    """Print what a right part takes with causes and without, in turn."""
    part = exam.syllabus.parts[0]
    path = COURSE.solutions / f"{part.name}.py"
    submission = Submission("right", {part.name: Source.module(path.name, path.read_text(encoding="utf-8"))})
    taken: dict[float, list[float]] = {0.0: [], FULL: []}
    for _, seconds in itertools.product(range(RIGHT), taken):
        begun = time.perf_counter()
        assert check(exam, submission, part.steps, runner, seconds=seconds).passed
        taken[seconds].append(time.perf_counter() - begun)
    report(f"{part.name}, right, without causes", taken[0.0])
    report(f"{part.name}, right, with causes", taken[FULL], "aim: no more")


def show_wrong(exam: Exam, runner: Runner, wrong: Sequence[Written]) -> None:
    """Print how long the verdict on one wrong step takes, and its cause after that."""
    verdicts, causes, kinds = list[float](), list[float](), Counter[str]()
    for one in wrong:
        submission = Submission(one.id, {one.part: Source.module(f"{one.part}.py", one.module(COURSE))})
        begun = time.perf_counter()
        marks = check(exam, submission, [exam.syllabus.part(one.part).step(one.name)], runner)
        verdict = time.perf_counter()
        step = marks.parts[0].steps[0]
        if is_searched(step):
            step = find_causes(marks, exam, submission, runner, FULL).parts[0].steps[0]
            causes.append(time.perf_counter() - verdict)
        kinds[step.diagnosis.kind if step.diagnosis else "nothing"] += 1
        verdicts.append(verdict - begun)
    report("a wrong step, its verdict", verdicts)
    report("its cause after that, if it is searched for", causes, f"aim: 500, at most {1000 * FULL:.0f}")
    print(f"  the longest search: {max(causes):.2f} s")
    print(f"  causes: {', '.join(f'{count / len(wrong):.0%} {kind}' for kind, count in kinds.most_common())}")


def write_class(folder: Path, students: int, wrong: Sequence[Written]) -> int:
    """Write solutions, in which every other student has a wrong step in each part; return how many steps are wrong."""
    by_part = {part: [one for one in wrong if one.part == part] for part in COURSE.course.parts}
    count = 0
    for student in range(students):
        own = folder / f"s{student:03}"
        own.mkdir(parents=True)
        for part, those in by_part.items():
            text = (COURSE.solutions / f"{part}.py").read_text(encoding="utf-8")
            if student % 2 and those:
                text = those[student // 2 % len(those)].module(COURSE)
                count += 1
            (own / f"{part}.py").write_text(text, encoding="utf-8")
    return count


def show_class(students: int, wrong: Sequence[Written]) -> None:
    """Print what `attn grade` takes on one core for each effort, in turn."""
    taken: dict[str, list[float]] = {effort: [] for effort in EFFORTS}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        exam = place / "class.exam"
        write_exam(build_exam(COURSE.course, seed=7), exam)
        count = write_class(place / "class", students, wrong)
        for run, effort in itertools.product(range(RUNS), EFFORTS):
            options = ("--out", place / f"{effort}{run}", "--exam", exam, "--jobs", "1", "--causes", effort)
            command = [Path(sys.executable).with_name("attn"), "grade", place / "class", *options]
            begun = time.perf_counter()
            found = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
            taken[effort].append(time.perf_counter() - begun)
            assert len(list((place / f"{effort}{run}" / "marks").iterdir())) == students, found.stdout + found.stderr
    print(f"attn grade, {students} submissions of all parts with {count} wrong steps, one core, sandbox full")
    none = statistics.median(taken["none"])
    for effort, seconds in taken.items():
        median = statistics.median(seconds)
        aim = "aim: 2" if effort == "quick" else ""
        print(f"  --causes {effort:<6} {median:7.1f} s, {median / none:5.2f} times as long as without {aim}")


def main() -> None:
    """Measure, and print as it comes."""
    words = argparse.ArgumentParser()
    words.add_argument("--every", type=int, default=4, help="of so many wrong steps one is checked")
    words.add_argument("--class", dest="students", type=int, default=40, help="how many submissions are graded")
    asked = words.parse_args()
    print(describe_machine())
    every = list(natural_submissions())
    exam = read_exam(COURSE.practice_exam)
    with contextlib.closing(open_runner(COURSE.root)) as runner:
        show_right(exam, runner)
        show_wrong(exam, runner, every[:: asked.every])
    show_class(asked.students, every)


if __name__ == "__main__":
    main()

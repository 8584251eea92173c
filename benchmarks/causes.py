"""The cost of searching for causes: `attn check` of a right and of a wrong step.

Run: python benchmarks/causes.py [--every N] on an idle machine. The wrong steps are those of `tests/course/natural.jsonl.gz`.
"""

import argparse
import contextlib
import itertools
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from machine import describe_machine, report

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from submissions import Written, natural_submissions  # noqa: E402

from autograder.check import check  # noqa: E402
from autograder.diagnosis import FULL  # noqa: E402
from autograder.diagnosis.find import find_causes  # noqa: E402
from autograder.exam.files import read_exam  # noqa: E402
from autograder.exam.model import Exam  # noqa: E402
from autograder.grading.match_known import is_searched  # noqa: E402
from autograder.runner.processes import Runner, open_runner  # noqa: E402
from autograder.submission.model import Source, Submission  # noqa: E402
from autograder.workspace import COURSE  # noqa: E402

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


def main() -> None:
    """Measure, and print as it comes."""
    words = argparse.ArgumentParser()
    words.add_argument("--every", type=int, default=4, help="of so many wrong steps one is checked")
    asked = words.parse_args()
    print(describe_machine())
    every = list(natural_submissions())
    exam = read_exam(COURSE.practice_exam)
    with contextlib.closing(open_runner(COURSE.root)) as runner:
        show_right(exam, runner)
        show_wrong(exam, runner, every[:: asked.every])


if __name__ == "__main__":
    main()

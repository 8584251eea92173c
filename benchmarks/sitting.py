"""All parts of the solutions on the practice exam: seconds of a run and of grading. Run: python benchmarks/sitting.py [RUNS]."""

import sys
import time
from contextlib import closing

from machine import describe_machine, report

from autograder.exam.files import read_exam
from autograder.grading.grade import mark
from autograder.runner.processes import open_runner, open_worker
from autograder.runner.run import run
from autograder.submission.model import read_folder
from autograder.workspace import COURSE


def main() -> None:
    """Report runs in a server that forks, runs in one that is its own child, and grading."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    exam, relations = read_exam(COURSE.practice_exam), COURSE.course.own_relations()
    steps = {part.name: frozenset(step.name for step in part.steps) for part in exam.syllabus.parts}
    submission = read_folder(COURSE.solutions, steps)
    print(f"{describe_machine()}; {len(exam.paper.cases)} cases in {len(steps)} parts")
    for name, start in (("a server that forks", open_runner), ("a server that is its own child", open_worker)):
        running, grading = list[float](), list[float]()
        with closing(start(COURSE.root)) as runner:
            for _ in range(runs + 1):
                begun = time.perf_counter()
                answers = run(runner, submission, exam.syllabus, exam.paper, steps)
                answered = time.perf_counter()
                assert mark(exam, answers, submission, relations).passed
                running.append(answered - begun)
                grading.append(time.perf_counter() - answered)
        report(f"run, {name}", running[1:])
        report("  grading", grading[1:])


if __name__ == "__main__":
    main()

"""How often the cause of a wrong step is found: mutants of the solutions, each a right program with one known edit.

Run: python benchmarks/diagnosis.py [--every N] [PART …]. A cause is right about the place where it points at the line of the edit. Known
mistakes are counted by themselves: an author's sentence has no place.
"""

import argparse
import contextlib
import statistics
import time
from collections import Counter
from collections.abc import Iterator

from machine import describe_machine, percentile

from autograder.authoring.trial import try_text
from autograder.causes.effort import FULL
from autograder.causes.find import find_causes
from autograder.check import check
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.exam.reference import read
from autograder.marking.marks import StepMarks
from autograder.sitting.processes import Sitter, open_sitter
from autograder.sitting.submission import Source, Submission
from autograder.slips.mutants import Mutant, mutants
from autograder.workspace import COURSE

COLUMNS = ("wrong", "named", "place", "cured", "other", "elsewhere", "nothing")


def wrong_mutants(exam: Exam, part: str, sitter: Sitter, every: int) -> Iterator[tuple[Mutant, StepMarks]]:
    """Yield every so many mutants of a part's solutions that do not pass, and their marks."""
    module = read(COURSE.solutions / f"{part}.py")
    for number, mutant in enumerate(mutants(module.text, module.solution_lines)):
        if number % every == 0:
            marks = try_text(sitter, exam, exam.syllabus.part(part).step(mutant.definition), mutant.text)
            if not marks.passed:
                yield mutant, marks


def outcome(mutant: Mutant, marks: StepMarks) -> Iterator[str]:
    """Yield the columns in which a mutant counts."""
    yield "wrong"
    cause = marks.diagnosis
    if cause is None:
        yield "nothing"
    elif cause.kind == "mistake":
        yield "named"
    else:
        if cause.kind == "cure" and not cause.more:
            yield "cured"
        elif cause.kind != "cure":
            yield "other"
        if cause.spot:
            yield "place" if cause.spot.text.strip() == mutant.becomes.strip() else "elsewhere"


def main() -> None:
    """Print a row a part, and how long the searches took."""
    words = argparse.ArgumentParser()
    words.add_argument("parts", nargs="*", help="without any, all of them")
    words.add_argument("--every", type=int, default=20, help="of so many mutants one is tried")
    words.add_argument("--show", action="store_true", help="print those that are not placed")
    asked = words.parse_args()
    exam = read_exam(COURSE.practice_exam)
    print(describe_machine())
    print(f"{'part':<20}" + "".join(f"{name:>10}" for name in COLUMNS))
    seconds: list[float] = []
    with contextlib.closing(open_sitter(COURSE.root)) as sitter:
        for part in asked.parts or [part.name for part in exam.syllabus.parts]:
            counts: Counter[str] = Counter()
            for mutant, _ in wrong_mutants(exam, part, sitter, asked.every):
                submission = Submission("mutant", {part: Source.module(f"{part}.py", mutant.text)})
                marks = check(exam, submission, [exam.syllabus.part(part).step(mutant.definition)], sitter)
                begun = time.perf_counter()
                found = find_causes(marks, exam, submission, sitter, FULL).parts[0].steps[0]
                seconds.append(time.perf_counter() - begun)
                columns = list(outcome(mutant, found))
                counts.update(columns)
                if asked.show and not {"named", "place"} & set(columns):
                    said = found.diagnosis and (found.diagnosis.kind, found.diagnosis.says)
                    print(f"  {mutant.definition}: `{mutant.was}` became `{mutant.becomes}`: {said}")
            print(f"{part:<20}" + "".join(f"{counts[name]:>10}" for name in COLUMNS), flush=True)
    print(
        f"seconds a search: median {statistics.median(seconds):.2f}, 95% {percentile(seconds, 0.95):.2f}, n={len(seconds)}"
    )


if __name__ == "__main__":
    main()

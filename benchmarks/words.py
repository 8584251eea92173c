"""What can be known before an exam. Run: python benchmarks/words.py.

How many points rest on words: on what is the same in every exam, so that it can be said without being true; how many on what the process that
runs a step says of its inputs; and what a submission earns in a class that knows the practice exam's answers by heart, and has solved nothing.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from autograder.authoring.guessable_answers import Words, marks_of_table, points_of_inputs, words_of
from autograder.course.answer import Judge
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent

SEEDS = (2, 3, 4)
"""Of exams of classes; the practice exam has 1. What is drawn from a few is the same in two of them by chance."""


def main() -> None:
    """Print what rests on words, by step and criterion, and what the practice exam's answers earn, the most first."""
    workspace = Workspace(ROOT)
    exam, *others = (build_exam(workspace.course, seed, with_mistakes=False) for seed in SEEDS)
    total = sum(step.points for step in exam.syllabus.steps)
    judges = workspace.course.own_judges()
    found = sorted(in_all(judges, exam, *others), key=lambda words: -words.points)
    for words in found:
        print(f"{words.points:5.2f}  {words.step}, {words.criterion}: {'; '.join(words.outputs)}")
    print(f"{sum(words.points for words in found):.1f} of {total:g} points rest on words")
    shares: defaultdict[str, float] = defaultdict(float)
    points = {step.path: step.points for step in exam.syllabus.steps}
    for words in found:
        shares[words.step] += words.points / points[words.step]
    step, share = max(shares.items(), key=lambda one: one[1])
    print(f"{share:.0%} of a step at most: {step}")
    print(f"{points_of_inputs(exam):.1f} more for inputs that stay as they are, which a copy of them earns as well\n")
    marks = marks_of_table(exam, read_exam(workspace.practice_exam), judges)
    earned = [(step.score, f"{part.part}.{step.step}") for part in marks.parts for step in part.steps if step.score]
    for score, path in sorted(earned, reverse=True):
        print(f"{score:5.2f}  {path}")
    print(f"{marks.score:.1f} of {total:g} points are earned by the practice exam's answers (aim: at most 5)")


def in_all(judges: Mapping[str, Judge], *exams: Exam) -> list[Words]:
    """Return what rests on words in each of some exams, as in the one in which least does."""
    first, *others = ({(words.step, words.criterion): words for words in words_of(exam, judges)} for exam in exams)
    same = [place for place in first if all(place in other for other in others)]
    return [min((found[place] for found in (first, *others)), key=lambda words: words.points) for place in same]


if __name__ == "__main__":
    main()

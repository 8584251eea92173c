"""Points that rest on words: answers that are no tensors and the same in every exam. Run: python benchmarks/words.py."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.course.answer import Answer, Judge, PlainValue, judged
from autograder.exam.build import build_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import UNTOUCHED, SyllabusStep
from autograder.grading.points import points_of
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent

SEEDS = (2, 3, 4)
"""Of exams of classes; the practice exam has 1. What is drawn from a few is the same in two of them by chance."""


@dataclass(frozen=True)
class Words:
    """The outputs of a criterion that are words. points: those that depend on them, once all numbers are right. outputs: their names."""

    step: str
    criterion: str
    points: float
    outputs: tuple[str, ...]


def main() -> None:
    """Print what rests on words, by step and criterion, the most first."""
    workspace = Workspace(ROOT)
    exam, *others = (build_exam(workspace.course, seed, with_mistakes=False) for seed in SEEDS)
    total = sum(step.points for step in exam.syllabus.steps)
    found = sorted(in_all(workspace.course.own_judges(), exam, *others), key=lambda words: -words.points)
    for words in found:
        print(f"{words.points:5.2f}  {words.step}, {words.criterion}: {'; '.join(words.outputs)}")
    print(f"{sum(words.points for words in found):.1f} of {total:g} points rest on words")
    shares: defaultdict[str, float] = defaultdict(float)
    points = {step.path: step.points for step in exam.syllabus.steps}
    for words in found:
        shares[words.step] += words.points / points[words.step]
    step, share = max(shares.items(), key=lambda one: one[1])
    print(f"{share:.0%} of a step at most: {step}")
    untouched = sum(points_of(step).get(UNTOUCHED, 0.0) for step in exam.syllabus.steps)
    print(f"{untouched:.1f} more for inputs that stay as they are, which a copy of them earns as well")


def words_of(exam: Exam, judges: Mapping[str, Judge]) -> Iterator[Words]:
    """Yield what rests on words in an exam: no tensor, the same in other exams, and not found by a judge."""
    for step in exam.syllabus.steps:
        points, cases = points_of(step), exam.paper.of(step.part, frozenset({step.name}))
        for criterion in points:
            asked, said = 0, list[tuple[str, ...]]()
            for case in cases:
                key = exam.key.cases[case.path]
                judge = judges.get(step.path)
                fixed = {*key.fixed} - judged(judge, case.inputs, Answer()).outputs.keys()
                outputs = [name for name in key.expected.outputs if _criterion(step, name, key.criterion) == criterion]
                words = [
                    name for name in outputs if name in fixed and isinstance(key.expected.outputs[name], PlainValue)
                ]
                asked += bool(outputs)
                said += [tuple(words)] * bool(words)
            if said:
                named = tuple(dict.fromkeys(name for names in said for name in names))
                yield Words(step.path, criterion, points[criterion] * len(said) / asked, named)


def _criterion(step: SyllabusStep, output: str, of_case: str) -> str:
    return next((one.name for one in reversed(step.criteria) if output in one.outputs), of_case)


def in_all(judges: Mapping[str, Judge], *exams: Exam) -> list[Words]:
    """Return what rests on words in each of some exams, as in the one in which least does."""
    first, *others = ({(words.step, words.criterion): words for words in words_of(exam, judges)} for exam in exams)
    same = [place for place in first if all(place in other for other in others)]
    return [min((found[place] for found in (first, *others)), key=lambda words: words.points) for place in same]


if __name__ == "__main__":
    main()

"""How many points rest on words: on what is the same in every exam, so that it can be said without being true.

Run: python benchmarks/words.py. It sets the exam twice and compares the two keys: an output that has the same answer in both is a word.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from autograder.course.answer import PlainValue, Value
from autograder.exam.agreement import same_value
from autograder.exam.criteria import UNTOUCHED
from autograder.exam.make_exam import set_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.points import points_of
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent


def fixed(step: SyllabusStep, exam: Exam, other: Exam) -> Iterator[tuple[str, str, str, Value, bool]]:
    """Yield each output of a step: its case, its criterion, its name, its value, and whether it is the same in another exam."""
    named = {output: criterion.name for criterion in step.criteria for output in criterion.outputs}
    for case in exam.paper.of(step.part, frozenset({step.name})):
        key, others = exam.key.cases[case.path], other.key.cases[case.path].expected.outputs
        for name, value in key.expected.outputs.items():
            same = name in others and same_value(value, others[name], key.tolerance)
            yield case.name, named.get(name, key.criterion), name, value, same


def main() -> None:
    course = Workspace(ROOT).course
    exam, other = (set_exam(course, seed, with_mistakes=False) for seed in (1, 2))
    words_in_all = table_in_all = 0.0
    for step in exam.syllabus.steps:
        points = points_of(step)
        outputs = list(fixed(step, exam, other))
        cases: dict[str, set[str]] = defaultdict(set)
        worded: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        drawn: dict[str, set[str]] = defaultdict(set)
        for case, criterion, name, value, same in outputs:
            cases[criterion].add(case)
            if not same:
                drawn[criterion].add(case)
            elif isinstance(value, PlainValue):
                worded[criterion][name].add(case)
        lines = []
        for criterion, wanted in cases.items():
            said = set().union(*worded[criterion].values()) if worded[criterion] else set()
            share = points[criterion] * len(said) / len(wanted)
            table_in_all += points[criterion] * len(wanted - drawn[criterion]) / len(wanted)
            words_in_all += share
            if said:
                lines.append(
                    f"    {share:5.2f} of {points[criterion]:5.2f} for {criterion}: {'; '.join(worded[criterion])}"
                )
        if UNTOUCHED in points:
            words_in_all += points[UNTOUCHED]
            lines.append(f"    {points[UNTOUCHED]:5.2f} of {points[UNTOUCHED]:5.2f} for {UNTOUCHED}")
        if lines:
            print(f"{step.path}, {step.points:g} points")
            print("\n".join(lines))
    print(
        f"{words_in_all:.1f} of {sum(step.points for step in exam.syllabus.steps):g} points rest on words at least in part"
    )
    print(f"{table_in_all:.1f} could be had from a table of another exam's answers")


if __name__ == "__main__":
    main()

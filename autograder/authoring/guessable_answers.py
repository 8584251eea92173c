"""What can be known before an exam: answers that are the same in every exam, and can be given without being true."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.course.answer import Answer, Judge, PlainValue, judged
from autograder.exam.model import Exam, KeyCase, PaperCase
from autograder.exam.syllabus import UNTOUCHED, SyllabusStep, by_part
from autograder.grading.grade import mark
from autograder.grading.points import points_of
from autograder.grading.results import Marks
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission


@dataclass(frozen=True)
class Words:
    """What a criterion of a step asks in words. points: what depends on them, once all numbers are right. outputs: their names."""

    step: str
    criterion: str
    points: float
    outputs: tuple[str, ...]


def marks_of_table(exam: Exam, known: Exam, judges: Mapping[str, Judge]) -> Marks:
    """Mark the answers of another exam's key, as of a submission that knows them by heart and has solved nothing."""
    parts = {}
    for part, steps in by_part(exam.syllabus.steps).items():
        answers = {
            case.path: judged(_judge_of(case, judges), case.inputs, known.key.cases[case.path].expected)
            for case in exam.paper.of(part)
        }
        parts[part] = PartAnswers(part, steps, answers=answers)
    return mark(exam, Answers("table", parts), Submission("table", {}), relations=())


def words_of(exam: Exam, judges: Mapping[str, Judge]) -> Iterator[Words]:
    """Yield what rests on words in an exam: what is neither a tensor, nor another answer in another exam, nor found by a judge."""
    for step in exam.syllabus.steps:
        points = points_of(step)
        cases = exam.paper.of(step.part, frozenset({step.name}))
        keys = {
            exam.key.cases[one.path]: frozenset(judged(_judge_of(one, judges), one.inputs, Answer()).outputs)
            for one in cases
        }
        for criterion in points:
            asked = [outputs for key in keys if (outputs := _outputs(step, key, criterion))]
            said = [
                names for key, found in keys.items() if (names := _said(_outputs(step, key, criterion), key, found))
            ]
            if said:
                named = tuple(dict.fromkeys(name for names in said for name in names))
                yield Words(step.path, criterion, points[criterion] * len(said) / len(asked), named)


def points_of_inputs(exam: Exam) -> float:
    """Return the points for inputs that stay as they are: the process that has run the step says whether they did."""
    return sum(points_of(step).get(UNTOUCHED, 0.0) for step in exam.syllabus.steps)


def _outputs(step: SyllabusStep, key: KeyCase, criterion: str) -> tuple[str, ...]:
    """Return the outputs of a case that count for a criterion."""
    named = {output: one.name for one in step.criteria for output in one.outputs}
    return tuple(name for name in key.expected.outputs if named.get(name, key.criterion) == criterion)


def _said(outputs: tuple[str, ...], key: KeyCase, found: frozenset[str]) -> tuple[str, ...]:
    """Return those of some outputs that are words. found: those that a judge finds."""
    fixed, expected = {*key.fixed} - found, key.expected.outputs
    return tuple(name for name in outputs if name in fixed and isinstance(expected[name], PlainValue))


def _judge_of(case: PaperCase, judges: Mapping[str, Judge]) -> Judge | None:
    return judges.get(f"{case.part}.{case.step}")

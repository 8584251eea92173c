"""Who answers what can be known before: a liar in the student's process that has the practice key, and a class's exam that it does not help with."""

from collections import defaultdict
from collections.abc import Mapping

import pytest

from autograder.check import check
from autograder.course import codec
from autograder.course.answer import Answer, Judge, PlainValue, judged
from autograder.exam.model import Exam
from autograder.grading.points import points_of
from autograder.grading.results import Marks
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

MOST_ON_WORDS = 16.2
"""Points of the course that rest on words once all numbers are right."""

MOST_OF_A_STEP = 0.5
"""The same, as a share of one step's."""

MOST_OF_A_LIAR = 5.0
"""Points of answers that happen to be the practice exam's, such as one of a few numbers that are drawn."""

LIAR = """
import sys
from dataclasses import replace
from autograder.course import codec
from autograder.course.answer import Answer, PlainValue

{definitions}

TABLE = codec.decode({table!r}, dict[str, Answer])
child = sys.modules["autograder.runner.child"]
inputs_of, honest, sat = child._inputs, child.observe, []

def inputs(case):
    sat[:] = [case.path]
    return inputs_of(case)

def observe(*given, **named):
    return {answer}

child._inputs, child.observe = inputs, observe
"""
"""Runs in the student's process, with the practice key at hand."""

FROM_THE_KEY = "TABLE[sat[0]]"
"""Answers every case as the key says, whatever the inputs are."""

WORDS_FROM_THE_KEY = """with_words(honest(*given, **named), TABLE[sat[0]].outputs)

def with_words(answer, known):
    words = {name: value for name, value in known.items() if isinstance(value, PlainValue)}
    return replace(answer, changed_inputs=(), outputs={name: words.get(name, value) for name, value in answer.outputs.items()})
"""
"""Answers with its own numbers and the key's words."""


WRONG_BESIDES = {
    "return self.dropout(weights) @ values": "return weights @ values",
    'self.register_buffer("mask", mask.triu(diagonal=1))': "self.mask = mask.triu(diagonal=1)",
}
"""What is wrong in the work of a liar who has solved the rest: by the text of the solution."""


def points_on_words(exam: Exam, judges: Mapping[str, Judge]) -> Mapping[str, float]:
    """Return by step the points that rest on outputs that are no tensors, the same in every exam, and found by no judge."""
    found: defaultdict[str, float] = defaultdict(float)
    for step in exam.syllabus.steps:
        cases = exam.paper.of(step.part, frozenset({step.name}))
        for criterion, points in points_of(step).items():
            asked, on_words = 0, 0
            for case in cases:
                key = exam.key.cases[case.path]
                fixed = {*key.fixed} - judged(judges.get(step.path), case.inputs, Answer()).outputs.keys()
                own = {output: one.name for one in step.criteria for output in one.outputs}
                outputs = [name for name in key.expected.outputs if own.get(name, key.criterion) == criterion]
                asked += bool(outputs)
                on_words += any(
                    name in fixed and isinstance(key.expected.outputs[name], PlainValue) for name in outputs
                )
            found[step.path] += points * on_words / max(asked, 1)
    return found


def liar(practice: Exam, part: str, answer: str, solved: str = "") -> str:
    """Return the text of a part that answers with what it knows of the practice exam. solved: what it has written; nothing otherwise."""
    cases = practice.paper.of(part)
    table = codec.encode({case.path: practice.key.cases[case.path].expected for case in cases})
    steps = dict.fromkeys(case.step for case in cases)
    definitions = solved or "".join(f"def {step}(*_, **__):\n    pass\n" for step in steps)
    return LIAR.format(definitions=definitions, answer=answer, table=table)


def marked(exam: Exam, practice: Exam, runner: Runner) -> Marks:
    modules = {
        part.name: Source.module(f"{part.name}.py", liar(practice, part.name, FROM_THE_KEY))
        for part in practice.syllabus.parts
    }
    return check(exam, Submission("liar", modules), exam.syllabus.steps, runner)


@pytest.fixture(scope="module")
def in_a_class(another_exam: Exam, practice: Exam, runner: Runner) -> Marks:
    return marked(another_exam, practice, runner)


def test_the_practice_key_answers_the_practice_exam_but_for_what_who_marks_finds_in_numbers(
    practice: Exam, runner: Runner, course: Workspace
) -> None:
    marks = marked(practice, practice, runner)

    lost = {f"{part.part}.{step.step}" for part in marks.parts for step in part.steps if step.score < step.max_score}
    assert lost == course.course.own_judges().keys()


def test_the_practice_key_earns_next_to_nothing_in_a_class(in_a_class: Marks) -> None:
    earned = {f"{part.part}.{step.step}": step.score for part in in_a_class.parts for step in part.steps if step.score}

    assert in_a_class.score <= MOST_OF_A_LIAR, earned
    assert not any(part.error for part in in_a_class.parts)


def test_who_has_solved_part_of_the_work_gains_no_more_by_lying_than_rests_on_words(
    course: Workspace, another_exam: Exam, practice: Exam, runner: Runner
) -> None:
    part, step = "part3_causal", "CausalAttention"
    solved = (course.solutions / f"{part}.py").read_text(encoding="utf-8")
    for right, wrong in WRONG_BESIDES.items():
        assert solved.count(right) == 1
        solved = solved.replace(right, wrong)
    texts = {"honest": solved, "liar": liar(practice, part, WORDS_FROM_THE_KEY, solved)}
    honest, lying = (
        check(
            another_exam,
            Submission(name, {part: Source.module(f"{part}.py", text)}),
            [another_exam.syllabus.part(part).step(step)],
            runner,
        )
        for name, text in texts.items()
    )
    on_words = points_on_words(another_exam, course.course.own_judges())[f"{part}.{step}"]

    assert honest.score < lying.score <= honest.score + on_words


def test_few_points_rest_on_words_and_of_no_step_many(another_exam: Exam, course: Workspace) -> None:
    found = points_on_words(another_exam, course.course.own_judges())

    assert sum(found.values()) <= MOST_ON_WORDS, found
    assert max(found[step.path] / step.points for step in another_exam.syllabus.steps) <= MOST_OF_A_STEP, found

"""Who answers what can be known before: a liar in the student's process that has the practice key, and a class's exam that it does not help with."""

import json
from pathlib import Path

import pytest

from autograder.authoring.words import marks_of_table, words_of
from autograder.check import check
from autograder.course.answer import pack
from autograder.exam.files import read_exam
from autograder.exam.model import Exam
from autograder.marking.marks import Marks
from autograder.sitting.processes import Sitter
from autograder.sitting.submission import Source, Submission

pytestmark = pytest.mark.slow

MOST_ON_WORDS = 5.5
"""Points of the course that rest on words once all numbers are right; the aim is 5."""

MOST_OF_A_LIAR = 5.0
"""Points of answers that happen to be the practice exam's, such as one of a few numbers that are drawn."""

LIAR = """
import json, sys
from dataclasses import replace
import numpy as np
from autograder.course.answer import unpack

{definitions}

HEADERS, ARRAYS = json.loads({headers!r}), {{name: np.array(numbers, dtype) for name, (numbers, dtype) in json.loads({arrays!r}).items()}}
TABLE = unpack(HEADERS, ARRAYS)
child = sys.modules["autograder.sitting.child"]
honest, seal = child.observe, sys.modules["autograder.course.answer"].seal

def observe(*given, **named):
    inputs, salt = given[2], named.get("salt") or given[-1]
    _, step, case = salt.split(" ", 2)
    answer = TABLE[f"{{PART}}.{{step}}.{{case}}"]
    untouched = seal([value.numpy() for value in inputs.values() if hasattr(value, "numpy")], salt)
    return replace(answer, seal=untouched)

child.observe = observe
"""
"""Answers every case as a key says, whatever the inputs are, and seals these as they came."""


@pytest.fixture(scope="module")
def other(class_exam: Path) -> Exam:
    return read_exam(class_exam)


def liar(practice: Exam, part: str) -> str:
    """Return the text of a part in which nothing is solved, and everything is answered as in the practice exam."""
    cases = practice.paper.of(part)
    headers, arrays = pack({case.path: practice.key.cases[case.path].expected for case in cases})
    numbers = {name: (array.tolist(), array.dtype.name) for name, array in arrays.items()}
    steps = dict.fromkeys(case.step for case in cases)
    definitions = f"PART = {part!r}\n" + "".join(f"def {step}(*_, **__):\n    pass\n" for step in steps)
    return LIAR.format(definitions=definitions, headers=json.dumps(headers), arrays=json.dumps(numbers))


def marked(exam: Exam, practice: Exam, sitter: Sitter) -> Marks:
    modules = {
        part.name: Source.module(f"{part.name}.py", liar(practice, part.name)) for part in practice.syllabus.parts
    }
    return check(exam, Submission("liar", modules), exam.syllabus.steps, sitter)


@pytest.fixture(scope="module")
def in_a_class(other: Exam, practice: Exam, sitter: Sitter) -> Marks:
    return marked(other, practice, sitter)


def test_the_practice_key_answers_the_practice_exam(practice: Exam, sitter: Sitter) -> None:
    marks = marked(practice, practice, sitter)

    assert marks.score == marks.max_score


def test_the_practice_key_earns_next_to_nothing_in_a_class(in_a_class: Marks) -> None:
    earned = {f"{part.part}.{step.step}": step.score for part in in_a_class.parts for step in part.steps if step.score}

    assert in_a_class.score <= MOST_OF_A_LIAR, earned
    assert not any(part.error for part in in_a_class.parts)


def test_what_a_liar_earns_is_told_without_running_one(in_a_class: Marks, other: Exam, practice: Exam) -> None:
    assert marks_of_table(other, practice).score == in_a_class.score


def test_few_points_rest_on_words(other: Exam) -> None:
    found = list(words_of(other))

    assert sum(words.points for words in found) <= MOST_ON_WORDS, found


def test_words_are_found(other: Exam) -> None:
    found = {
        words.step: {name for one in words_of(other) if one.step == words.step for name in one.outputs}
        for words in words_of(other)
    }

    assert "`mask`" in found["part3_causal.CausalAttention"]
    assert "part1_simplified.softmax" not in found


def test_what_is_the_same_in_two_exams_is_known_to_both(other: Exam, practice: Exam) -> None:
    """Nearly: some of what is drawn from a few is the same by chance."""
    fixed, others = (
        {(path, name) for path, key in exam.key.cases.items() for name in key.fixed} for exam in (other, practice)
    )

    assert len(fixed ^ others) < 0.1 * len(fixed | others)

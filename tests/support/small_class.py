"""What tests of a class have in common: the module that is handed in, a wrong text of it, how a class is made, and a small exam."""

import concurrent.futures
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.exam.model import Exam, Key, Paper

MODULE = "part1_simplified.py"
WRONG = (
    "def dot_product(a, b):\n    return a * b\n\n\ndef attention_scores(query, inputs):\n    return inputs @ query\n"
)

MakeClass = Callable[..., Path]
"""By student, the text of the module; None for the solution."""


def exam_on(exam: Exam, *parts: str) -> Exam:
    """Return an exam whose cases are on some parts alone: it is read in no time, and is no practice exam."""
    cases = tuple(replace(case, seed=case.seed + 1) for case in exam.paper.cases if case.part in parts)
    known_wrong = {step: known for step, known in exam.key.known_wrong.items() if step.partition(".")[0] in parts}
    return Exam(exam.syllabus, Paper(cases), Key({case.path: exam.key.cases[case.path] for case in cases}, known_wrong))


def set_exams_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exam of a class be set in a thread of this process, in place of a process of its own."""
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", lambda width, _: ThreadPoolExecutor(width))

"""Test the course and the grader: mark modules, such as solutions and mutants, like a student's."""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.check import check
from autograder.course.course import Course
from autograder.exam.model import Exam, KnownWrong
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.results import StepMarks
from autograder.runner.limits import TIMEOUT
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission

Progress = Callable[[str], None]


@dataclass
class Finding:
    """The result of one check of the course: the number of items checked, and the problems."""

    title: str
    looked_at: int = 0
    problems: list[str] = field(default_factory=list)

    def blame(self, step: str, problem: str) -> None:
        """Add a problem of a step. step: the path of the step."""
        self.problems.append(f"{step}: {problem}")


def try_out(
    runner: Runner, exam: Exam, submission: Submission, steps: Iterable[SyllabusStep], timeout: float = TIMEOUT
) -> Iterator[tuple[SyllabusStep, StepMarks]]:
    """Mark some steps of a submission, and yield each step with its marks."""
    for part in check(exam, submission, steps, runner, timeout).parts:
        for step_marks in part.steps:
            yield exam.syllabus.part(part.part).step(step_marks.step), step_marks


def try_text(runner: Runner, exam: Exam, step: SyllabusStep, text: str, timeout: float = TIMEOUT) -> StepMarks:
    """Return the marks of one step. text: the source of the module that defines the step."""
    submission = Submission("trial", {step.part: Source.module(f"{step.part}.py", text)})
    ((_, marks),) = try_out(runner, exam, submission, [step], timeout)
    return marks


def text_with(course: Course, part: str, mistake: KnownWrong) -> str:
    """Return the text of a module that defines a step with a known mistake and the code that it uses."""
    bank = _definitions(course.root / "course" / part / "mistakes.py")
    needed: dict[ast.stmt, None] = {}
    waiting = [mistake.id]
    while waiting:
        statement = bank.get(waiting.pop())
        if statement and statement not in needed:
            needed[statement] = None
            waiting += [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
    in_order = sorted(needed, key=lambda statement: statement.lineno)
    return "\n\n".join([*map(ast.unparse, in_order), f"{mistake.step} = {mistake.id}\n"])


@functools.cache
def _definitions(path: Path) -> dict[str, ast.stmt]:
    """Return the statements in a `mistakes.py` and in its `Mistakes` classes, by the names they define."""
    found: dict[str, ast.stmt] = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        match statement:
            case ast.ClassDef(bases=[ast.Name("Mistakes")], body=mistakes):
                found |= {one.name: one for one in mistakes if isinstance(one, ast.FunctionDef | ast.ClassDef)}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = statement
            case ast.Import() | ast.ImportFrom():
                found |= {name.asname or name.name.partition(".")[0]: statement for name in statement.names}
            case _:
                bound = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
                found |= {node.id: statement for node in bound if isinstance(node.ctx, ast.Store)}
    return found


def describe_marks(marks: StepMarks) -> str:
    """Return the verdict and the first failure in one line."""
    failure = marks.first_failure
    return f"{marks.verdict}" + (f" ({failure.case}: {failure.message})" if failure else "")

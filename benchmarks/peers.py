"""`nbgrader autograde` at the same work, with the same cases and comparisons."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

BIN = Path(sys.executable).parent

COMPARE = '''
"""Runs the cases of one step on an implementation and compares the answers with the key."""

from pathlib import Path

import torch

from autograder.course.answer import judged
from autograder.workspace import COURSE
from autograder.course.probing import failure_of, observe
from autograder.course.answer import same_answer
from autograder.exam.files import read_exam

EXAM = read_exam(Path({exam!r}))


def compare(part, name, implementation):
    step = COURSE.course.part(part).step(name)
    for case in EXAM.paper.of(part, frozenset([name])):
        inputs = {{key: value if isinstance(value, bool | int | float | None) else torch.from_numpy(value)
                  for key, value in case.inputs.items()}}
        answer = observe(step.probe, implementation, inputs, case.seed, case.gradients, failure_of)
        expected = EXAM.key.cases[case.path]
        answer = judged(step.judge, case.inputs, answer)
        assert same_answer(answer, expected.expected, expected.tolerance), case.path
'''

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "course"
c.Application.log_level = 50
"""


class NbgraderCourse:
    """A course directory of nbgrader's: one assignment, a notebook a part, a test cell a step.

    solutions: by part, the right text. steps: by part, the names of its steps.
    """

    def __init__(self, root: Path, exam: Path, solutions: Mapping[str, str], steps: Mapping[str, list[str]]) -> None:
        self._root = root
        self._exam = exam
        self._steps = steps
        source = root / "source" / "attention"
        self._write(source, solutions, "### BEGIN SOLUTION\npass\n### END SOLUTION")
        (root / "nbgrader_config.py").write_text(CONFIG)
        self._run("generate_assignment", "attention", "--create", "--force")

    def submit(self, student: str, modules: Mapping[str, str]) -> None:
        """Put a student's texts where nbgrader expects them, in the notebooks that were released."""
        self._write(self._root / "submitted" / student / "attention", modules, "{text}")

    def autograde(self) -> float:
        """Mark all that was submitted; return the seconds it took."""
        begun = time.perf_counter()
        self._run("autograde", "attention", "--create")
        return time.perf_counter() - begun

    def scores(self) -> dict[str, float]:
        """Return by student what nbgrader's gradebook says."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self._root / 'gradebook.db'}", "course") as gradebook:
            found = gradebook.assignment_submissions("attention")
            return {one.student.id: float(one.score) for one in found}

    def _write(self, folder: Path, modules: Mapping[str, str], form: str) -> None:
        import nbformat
        from nbformat.v4 import new_code_cell, new_notebook

        folder.mkdir(parents=True)
        (folder / "compare.py").write_text(COMPARE.format(exam=str(self._exam)))
        for part, text in modules.items():
            plain = "\n".join(line for line in text.splitlines() if "SOLUTION" not in line)  # nbgrader's own marks
            answer = new_code_cell(form.format(text=plain), metadata={"nbgrader": _cell("answer", solution=True)})
            tests = [
                new_code_cell(
                    f"from compare import compare\ncompare({part!r}, {step!r}, {step})",
                    metadata={"nbgrader": _cell(f"test_{step}", grade=True, points=1)},
                )
                for step in self._steps[part]
            ]
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
            nbformat.write(new_notebook(cells=[answer, *tests], metadata=kernel), folder / f"{part}.ipynb")

    def _run(self, *words: str) -> None:
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by its name
        environment = {**os.environ, "PATH": path}
        subprocess.run(
            [BIN / "nbgrader", *words], cwd=self._root, env=environment, check=True, stdout=subprocess.DEVNULL
        )


def _cell(name: str, grade: bool = False, solution: bool = False, points: int | None = None) -> dict[str, object]:
    found: dict[str, object] = {"schema_version": 3, "grade": grade, "locked": grade, "solution": solution}
    found |= {"task": False, "grade_id": name}
    return found if points is None else found | {"points": points}

"""Notebooks for nbgrader: what is in them, and that nbgrader takes them as they are."""

import re

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator

from autograder.exam.model import Exam
from autograder.exam.reference import ReferenceModule, read
from autograder.exam.syllabus import SyllabusPart
from autograder.site.notebooks import notebook_of
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow  # nbgrader takes seconds to import

PARTS = ("part1_simplified", "part4_multihead")
"""Functions, and classes that import earlier parts."""


@pytest.fixture(params=PARTS)
def part(request: pytest.FixtureRequest, practice: Exam) -> SyllabusPart:
    return practice.syllabus.part(request.param)


@pytest.fixture
def module(part: SyllabusPart, course: Workspace) -> ReferenceModule:
    return read(course.solutions / f"{part.name}.py")


@pytest.fixture
def notebook(part: SyllabusPart, course: Workspace, module: ReferenceModule) -> NotebookNode:
    return notebook_of(part, course.course, module)


def cells(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells}


def test_a_notebook_is_valid_and_so_is_nbgraders_metadata(notebook: NotebookNode) -> None:
    nbformat.validate(notebook)
    for cell in notebook.cells:
        MetadataValidator().validate_cell(cell)


def test_every_step_has_a_text_a_cell_to_write_it_in_and_one_that_marks_it(
    notebook: NotebookNode, part: SyllabusPart
) -> None:
    expected = ["about", "setup"]
    for step in part.steps:
        expected += [f"about_{step.name}", step.name, f"test_{step.name}"]

    assert [cell.metadata.nbgrader.grade_id for cell in notebook.cells] == expected
    assert [cell.id for cell in notebook.cells] == expected


def test_a_released_notebook_has_todos_and_stubs_and_no_solution(part: SyllabusPart, course: Workspace) -> None:
    answers = [cells(notebook_of(part, course.course))[step.name].source for step in part.steps]

    for number, text in enumerate(answers, start=1):
        assert f"# TODO {number}:" in text
        assert "raise NotImplementedError" in text
        assert "SOLUTION" not in text
    stub = {line.strip() for line in part.stub.splitlines()}
    assert {line.strip() for text in answers for line in text.splitlines()} <= stub


def test_hidden_tests_name_an_exam_and_hold_nothing_of_it(notebook: NotebookNode, part: SyllabusPart) -> None:
    for step in part.steps:
        hidden = re.search(
            r"### BEGIN HIDDEN TESTS\n(.*)\n### END HIDDEN TESTS", cells(notebook)[step.test_cell].source, re.DOTALL
        )
        assert hidden
        assert hidden[1] == f'check("{step.path}", exam="class")'


def test_a_released_notebook_has_no_hidden_test(part: SyllabusPart, course: Workspace) -> None:
    made = cells(notebook_of(part, course.course))
    for step in part.steps:
        assert made[step.test_cell].source == f'check("{step.path}")\n'.rstrip("\n")

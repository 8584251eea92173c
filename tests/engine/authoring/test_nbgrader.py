"""nbgrader itself, on the course directory that `attn release --for nbgrader` makes: generate, autograde, feedback, and the same points as ours."""

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from environments import Run, run_program
from nbformat.v4 import new_code_cell

from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.world]

BIN = Path(sys.executable).parent
PART1, PART3 = "part1_simplified", "part3_causal"
HALF = {"softmax": "def softmax(scores):\n    return scores.exp() / scores.exp().sum(dim=0, keepdim=True)"}
WRONG = {
    "dot_product": "def dot_product(a, b):\n    return (a * b).sum()[None]",
    "attention_scores": "def attention_scores(query, inputs:",
    "softmax": "def softmax(scores):\n    return torch.softmax(scores, dim=-1)",
    "context_vector": "def context_vector(weights, inputs):\n    while True: pass",
}


def run(command: str, *arguments: object, folder: Path) -> Run:
    return run_program(folder, BIN / command, *arguments, PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}")


def hand_in(directory: Path, student: str, part: str, answers: Mapping[str, str]) -> None:
    """Write a student's answers into the notebook that nbgrader has released, and hand it in."""
    notebook = nbformat.read(directory / "release" / part / f"{part}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.metadata.nbgrader.grade_id in answers:
            cell.source = answers[cell.metadata.nbgrader.grade_id]
    folder = directory / "submitted" / student / part
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{part}.ipynb")


def leave_checks(directory: Path, student: str, part: str) -> None:
    """Put a check of the step below each answer of a notebook, as students leave them there."""
    path = directory / "submitted" / student / part / f"{part}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.metadata.nbgrader.solution:
            step = cell.metadata.nbgrader.grade_id
            cells.append(new_code_cell(f'check("{part}.{step}")', id=f"left_{step}"))
    notebook.cells = cells
    nbformat.write(notebook, path)


def solutions(directory: Path, part: str) -> dict[str, str]:
    source = nbformat.read(directory / "source" / part / f"{part}.ipynb", as_version=4)
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in source.cells if cell.metadata.nbgrader.solution}


def nbgraders_points(directory: Path) -> dict[str, dict[str, float]]:
    """Return by student and assignment the points of every step, from nbgrader's gradebook."""
    from nbgrader.api import Gradebook

    points: dict[str, dict[str, float]] = {}
    with Gradebook(f"sqlite:///{directory / 'gradebook.db'}", "attention") as gradebook:
        for part in (PART1, PART3):
            for submission in gradebook.assignment_submissions(part):
                for grade in submission.notebooks[0].grades:
                    step = f"{part}.{grade.name.removeprefix('test_')}"
                    points.setdefault(submission.student.id, {})[step] = float(grade.auto_score)
    return points


def our_points(results: Path) -> dict[str, dict[str, float]]:
    found = [json.loads(path.read_bytes()) for path in (results / "marks").glob("*.json")]
    return {
        marks["submission"]: {
            f"{part['part']}.{step['step']}": step["score"] for part in marks["parts"] for step in part["steps"]
        }
        for marks in found
    }


@pytest.fixture(scope="module")
def directory(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course directory in which a right, a half-done and a wrong submission were marked by nbgrader."""
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    made = run("attn", "release", "--for", "nbgrader", "--out", folder, folder=course.root)
    assert made.returncode == 0, made.stderr
    for part in (PART1, PART3):
        generated = run("nbgrader", "generate_assignment", part, "--create", folder=folder)
        assert generated.returncode == 0, generated.stderr
    right = solutions(folder, PART1)
    hand_in(folder, "ada", PART1, right)
    leave_checks(folder, "ada", PART1)
    hand_in(folder, "ada", PART3, solutions(folder, PART3))
    hand_in(folder, "bob", PART1, dict(list(right.items())[:2]) | HALF)
    hand_in(folder, "eve", PART1, WRONG)
    for part in (PART1, PART3):
        marked = run("nbgrader", "autograde", part, "--create", folder=folder)
        assert marked.returncode == 0, marked.stderr
    return folder


@pytest.mark.system
def test_nbgrader_gives_the_same_points_as_attn_grade(directory: Path, course: Workspace, tmp_path: Path) -> None:
    exam = ["--exam", directory / "class.exam"]
    graded = run("attn", "grade", directory / "submitted", "--out", tmp_path / "results", *exam, folder=course.root)

    ours = our_points(tmp_path / "results")
    assert ours == nbgraders_points(directory), graded.stderr
    assert sum(ours["ada"].values()) == 50
    assert 0 < sum(ours["bob"].values()) < 25
    assert sum(ours["eve"].values()) == 1


def test_checks_that_a_student_left_are_made_and_no_others(directory: Path) -> None:
    notebook = nbformat.read(directory / "autograded" / "ada" / PART1 / f"{PART1}.ipynb", as_version=4)
    outputs = {cell.id: [output.output_type for output in cell.outputs] for cell in notebook.cells if "outputs" in cell}

    assert outputs["softmax"] == []
    assert outputs["left_softmax"] == ["display_data", "execute_result"]


def test_what_is_released_is_what_we_release_ourselves(directory: Path, course: Workspace, tmp_path: Path) -> None:
    run("attn", "release", "--out", tmp_path / "release", folder=course.root)

    for part in (PART1, PART3):
        theirs = nbformat.read(directory / "release" / part / f"{part}.ipynb", as_version=4)
        ours = nbformat.read(tmp_path / "release" / "notebooks" / f"{part}.ipynb", as_version=4)
        for cell in theirs.cells:
            del cell.metadata.nbgrader["checksum"], cell.metadata.nbgrader["cell_type"]
        for cell in ours.cells:  # a stub names its step
            cell.source = re.sub(r"NotImplementedError\(.*\)", "NotImplementedError", cell.source)
        assert [dict(cell) for cell in ours.cells] == [dict(cell) for cell in theirs.cells]


def test_a_student_who_validates_a_wrong_notebook_is_told(directory: Path, tmp_path: Path) -> None:
    shutil.copy(directory / "submitted" / "bob" / PART1 / f"{PART1}.ipynb", tmp_path)

    validated = run("nbgrader", "validate", f"{PART1}.ipynb", folder=tmp_path)

    assert "VALIDATION FAILED ON 3 CELL(S)" in validated.stdout
    assert validated.stdout.count("Partial credit; passed some but not all of the tests") == 3


def test_nbgraders_feedback_shows_the_diagnosis_and_the_picture_and_no_seed(directory: Path) -> None:
    made = run("nbgrader", "generate_feedback", PART1, folder=directory)
    page = (directory / "feedback" / "bob" / PART1 / f"{PART1}.html").read_text()

    assert made.returncode == 0, made.stderr
    assert "Your columns add up to 1 instead of your rows" in re.sub(r"<[^>]*>|\s+", " ", page).replace("  ", " ")
    assert "expected" in page
    points = nbgraders_points(directory)["bob"][f"{PART1}.softmax"]
    assert f"(Score: {points} / 8.0)" in page
    assert "seed" not in page

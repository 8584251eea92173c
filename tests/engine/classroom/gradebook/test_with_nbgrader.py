"""Export and feedback by nbgrader of the marks in its gradebook."""

import csv
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from chromium import chromium
from graded import PART, Open, marks_of, put
from nbformat.v4 import new_markdown_cell
from nbgrader_course import NbgraderCourse, answered, make_course
from playwright.sync_api import Page

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.gradebook import read_policy
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.exam.files import read_exam
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.world]

ATTACK = (
    "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'> [x](javascript:window.attacked=1)"
)


@pytest.fixture(scope="module")
def marked(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> NbgraderCourse:
    """A course directory of nbgrader's in which ada was late and eve is up to no good, marked and written."""
    syllabus = read_exam(course.practice_exam).syllabus
    zero = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"
    directory = make_course(tmp_path_factory.mktemp("nbgrader"), syllabus.part(PART), zero)
    release = directory.release
    evil = answered(release, essay=ATTACK, softmax=f"# {ATTACK}")
    evil.cells.append(new_markdown_cell(ATTACK))
    directory.hand_in("ada", release, at="2026-11-20 13:00:00 UTC")
    directory.hand_in("bob", release, at="2026-11-20 11:00:00 UTC")
    directory.hand_in("eve", evil)
    directory.run("db", "assignment", "add", PART, "--duedate=2026-11-20 12:00:00 UTC")
    marks = [
        marks_of(syllabus, "ada", submitted_at="2026-11-20 13:00:00 UTC"),
        marks_of(syllabus, "bob", submitted_at="2026-11-20 11:00:00 UTC"),
        marks_of(syllabus, "eve", says=ATTACK, message=ATTACK),
    ]
    put(str(directory.folder / "gradebook.db"), syllabus, *marks, policy=read_policy(directory.folder))
    write_autograded(directory.folder, read_class_folder(directory.folder / "submitted").entries, marks, syllabus)
    return directory


@pytest.fixture(scope="module")
def feedback(marked: NbgraderCourse) -> Path:
    marked.run("generate_feedback", PART)
    return marked.folder / "feedback"


def test_the_export_has_the_scores(marked: NbgraderCourse) -> None:
    marked.run("export", "--to", "grades.csv")

    with (marked.folder / "grades.csv").open() as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {name: float(row["raw_score"]) for name, row in rows.items()} == dict.fromkeys(("ada", "bob", "eve"), 21.0)
    assert {name: float(row["score"]) for name, row in rows.items()} == {"ada": 0.0, "bob": 21.0, "eve": 21.0}
    assert {float(row["max_score"]) for row in rows.values()} == {30.0}
    assert rows["ada"]["timestamp"] == str(datetime(2026, 11, 20, 13))


def test_the_release_of_the_instructor_is_used_as_it_is(marked: NbgraderCourse, opened: Open) -> None:
    cells = opened(str(marked.folder / "gradebook.db")).find_notebook(PART, PART)

    assert {cell.name for cell in cells.grade_cells} == {*(one.test_cell for one in marked.part.steps), "essay"}
    assert len(cells.source_cells) == 2 * len(marked.part.steps) + 2


def test_the_feedback_has_scores_and_comments(feedback: Path) -> None:
    page = (feedback / "bob" / PART / f"{PART}.html").read_text()

    assert "(Score: 21.0 / 30.0)" in page
    assert "You sum over the wrong dimension." in page
    assert "(Score: 4.0 / 8.0)" in page


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of a real browser, which asks no other machine for anything."""
    with chromium() as browser:
        opened = browser.new_page()
        opened.route(re.compile(r"^https?://(?!127\.0\.0\.1)"), lambda route: route.abort())
        yield opened


@pytest.mark.system
def test_nothing_of_a_students_text_runs_in_the_feedback(feedback: Path, page: Page) -> None:
    page.goto((feedback / "eve" / PART / f"{PART}.html").as_uri())

    assert page.evaluate("window.attacked") is None
    assert page.locator("a[href^=javascript]").count() == 0
    assert page.get_by_text("window.attacked = 1").count() >= 4

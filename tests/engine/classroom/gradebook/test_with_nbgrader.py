"""What nbgrader's own commands and pages make of what was written: export, feedback, formgrader."""

import csv
import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from graded import PART, Open, marks_of, put
from nbformat.v4 import new_markdown_cell
from nbgrader_course import BIN, NbgraderCourse, answered, make_course
from playwright.sync_api import Page
from processes import eventually

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.gradebook.lateness import read_policy
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.exam.files import read_exam
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.world]

ATTACK = (
    "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'> [x](javascript:window.attacked=1)"
)
TOKEN = "a-token-of-this-test"

Get = Callable[[str], Any]


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


@pytest.fixture(scope="module")
def formgrader(marked: NbgraderCourse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of formgrader on a Jupyter server in the course directory."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = [
        f"--port={port}",
        "--ip=127.0.0.1",
        "--no-browser",
        "--allow-root",
        f"--IdentityProvider.token={TOKEN}",
    ]
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "HOME": str(home), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options],
            cwd=marked.folder,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        assert eventually(lambda: server.poll() is not None or answers(f"{address}/api"))
        assert server.poll() is None, (home / "log").read_text()
        yield f"{address}/formgrader"
    finally:
        server.terminate()
        server.wait()


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url).close()
    except OSError:
        return False
    return True


@pytest.fixture
def get(formgrader: str) -> Get:
    """Ask formgrader's API."""

    def run(path: str) -> Any:
        request = urllib.request.Request(f"{formgrader}/api/{path}", headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    return run


def test_formgrader_shows_the_assignment_and_its_submissions(get: Get) -> None:
    (assignment,) = get("assignments")
    submissions = {one["student"]: one for one in get(f"submissions/{PART}")}

    assert (assignment["name"], assignment["num_submissions"], assignment["max_score"]) == (PART, 3, 30.0)
    assert submissions["bob"]["score"] == 21.0
    assert {one["autograded"] for one in submissions.values()} == {True}


def test_formgrader_shows_the_grades_and_comments_of_a_notebook(get: Get) -> None:
    bob = next(one for one in get(f"submitted_notebooks/{PART}/{PART}") if one["student"] == "bob")

    scores = {one["name"]: one["auto_score"] for one in get(f"grades?submission_id={bob['id']}")}
    comments = {one["name"]: one["auto_comment"] for one in get(f"comments?submission_id={bob['id']}")}
    assert (scores["test_softmax"], scores["essay"]) == (4.0, None)
    assert comments["softmax"].strip() == "You sum over the wrong dimension."


@pytest.mark.system
def test_nothing_of_a_students_text_runs_in_formgrader(formgrader: str, get: Get, page: Page) -> None:
    eve = next(one for one in get(f"submitted_notebooks/{PART}/{PART}") if one["student"] == "eve")

    page.set_extra_http_headers({"Authorization": f"token {TOKEN}"})
    page.goto(f"{formgrader}/submissions/{eve['id']}/")
    page.wait_for_function("document.querySelector('#softmax-comment')?.placeholder.includes('attacked')")

    assert page.evaluate("window.attacked") is None
    assert page.locator("a[href^=javascript]").count() == 0

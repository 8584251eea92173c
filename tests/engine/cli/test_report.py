"""`attn report`: a folder of results goes in, a page for the class and one a student come out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in

from autograder.classroom.results import to_bytes
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import load
from autograder.grading.results import Diagnosis, Marks, PartMarks, StepMarks
from autograder.workspace import Workspace

Report = Callable[..., Run]


@pytest.fixture
def run(course: Workspace, tmp_path: Path) -> Report:
    return lambda *words: attn_in(course, "report", *map(str, words))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Marks of two students, one of whom could not be read."""
    (tmp_path / "results" / "marks").mkdir(parents=True)
    for student, error in (("ada", None), ("bob", "SyntaxError in bob/part1_simplified.py, line 1")):
        part = PartMarks("part1_simplified", error, ())
        marks = Marks(student, "sha256:1", "sha256:0", "2026-11-20T12:00:00Z", 0.1, "none", (part,))
        (tmp_path / "results" / "marks" / f"{student}.json").write_bytes(to_bytes(marks))
    return tmp_path / "results"


def test_the_pages_are_written_and_named(run: Report, results: Path, tmp_path: Path) -> None:
    done = run(results, "--out", tmp_path / "autumn.html")

    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{tmp_path / 'autumn.html'}: 2 students, each with their own page in {tmp_path / 'autumn_students'}\n"
    )
    assert "SyntaxError in bob" in (tmp_path / "autumn.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "autumn_students").iterdir()) == ["ada.html", "bob.html"]


def test_students_are_told_causes_as_far_as_the_course_allows(copy: Workspace, results: Path, tmp_path: Path) -> None:
    listed = copy.root / "course.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + '\n[causes]\nrungs = "what"\n', encoding="utf-8")
    cause = Diagnosis("cure", "dimension", "Line 3.", "Line 3.", "Over the wrong one.", "With `dim=-1`.")
    steps = tuple(
        StepMarks(step.name, Verdict.WRONG_VALUES, 0.0, step.points, diagnosis=cause)
        for step in load(copy.syllabus).part("part1_simplified").steps
    )
    marks = Marks("ada", "", "", "2026-11-20T12:00:00Z", 0.1, "none", (PartMarks("part1_simplified", None, steps),))
    (results / "marks" / "ada.json").write_bytes(to_bytes(marks))

    attn_in(copy, "report", str(results), "--out", str(tmp_path / "report.html"))

    page = (tmp_path / "report_students" / "ada.html").read_text(encoding="utf-8")
    assert "Over the wrong one." in page
    assert "dim=-1" not in page


def test_who_handed_in_nothing_is_in_the_report_and_has_a_page(run: Report, results: Path, tmp_path: Path) -> None:
    (results / "roster.csv").write_text("login\nADA\nbob\neve\n")

    done = run(results, "--out", tmp_path / "report.html")

    assert "3 students, " in done.stdout
    assert "nothing was handed in" in (tmp_path / "report_students" / "eve.html").read_text(encoding="utf-8")

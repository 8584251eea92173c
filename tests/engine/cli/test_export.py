"""`attn export`: a folder of results goes in, what a learning platform takes comes out, or a message that says what is wrong."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in

from autograder.classroom.adjustments import note_judged
from autograder.exam.syllabus import load
from autograder.workspace import Workspace

Export = Callable[..., Run]

BOTH = ("--part", "1", "--part", "2")
"""The parts of the fixed class; the second was handed in by half of it."""


@pytest.fixture
def fixed(course: Workspace) -> Path:
    """The small fixed class with hostile names, its course and its gradebook."""
    return course.root / "tests" / "engine" / "classroom" / "exports"


@pytest.fixture
def run(fixed: Path) -> Export:
    """Export the marks of the fixed class."""

    def invoke(*words: object, results: Path = fixed / "results") -> Run:
        return attn_in(Workspace(fixed / "course"), "export", *map(str, (results, *words)))

    return invoke


@pytest.fixture
def ada(fixed: Path, tmp_path: Path) -> Path:
    """Results with the marks of one student."""
    shutil.copy(fixed / "results" / "marks" / "ada.json", tmp_path)
    return tmp_path


def test_a_file_for_the_class_is_written(run: Export, fixed: Path, tmp_path: Path) -> None:
    done = run("--format", "csv", *BOTH, "--out", tmp_path / "new" / "out")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new" / "out").read_bytes() == (fixed / "golden" / "table.csv").read_bytes()
    assert "out: 4 students" in done.stdout


def test_gradescope_gets_a_file_for_each_student_inside_the_folder(run: Export, tmp_path: Path) -> None:
    done = run("--format", "gradescope", "--out", tmp_path / "out")

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "%2E%2E%2Feve%0Asecond line.json",
        "%3D1+1.json",
        "Bé %22the%22 O'Neil, %3Cscript%3Ealert(1)%3C%2Fscript%3E.json",
        "ada.json",
    ]


def test_canvas_gets_its_gradebook_filled_in(run: Export, fixed: Path, tmp_path: Path) -> None:
    options = ("--canvas", fixed / "roster.csv", *BOTH, "--column", "2=Homework 2", "--scale")

    done = run("--format", "canvas", *options, "--out", tmp_path / "grades.csv")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "grades.csv").read_bytes() == (fixed / "golden" / "canvas.csv").read_bytes()


def test_moodle_gets_its_worksheet_filled_in(run: Export, fixed: Path, ada: Path, tmp_path: Path) -> None:
    options = ("--moodle", fixed / "worksheet.csv", "--part", "1", "--out", tmp_path / "out.csv")

    done = run("--format", "moodle", *options, results=ada)

    assert done.returncode == 0, done.stderr
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8-sig") as file:
        assert [row["Grade"] for row in csv.DictReader(file)] == ["2.75", "3.00", ""]


def test_who_is_in_the_roster_and_handed_in_nothing_has_a_row(run: Export, ada: Path, tmp_path: Path) -> None:
    (ada / "roster.csv").write_text("name,login\nAda,ADA@uni.edu\nBob,bob\n")

    run("--format", "csv", "--out", tmp_path / "out.csv", results=ada)

    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["ada", "bob"]
    assert (rows["bob"]["score"], rows["bob"]["max_score"]) == ("0", rows["ada"]["max_score"])


def test_marks_with_other_points_than_the_course_has_are_refused(run: Export, ada: Path, tmp_path: Path) -> None:
    marks = json.loads((ada / "ada.json").read_text(encoding="utf-8"))
    step = marks["parts"][0]["steps"][0]
    for worth in (step, marks["parts"][0], marks):
        worth["max_score"] += 1
    (ada / "ada.json").write_text(json.dumps(marks), encoding="utf-8")

    done = run("--format", "csv", "--out", tmp_path / "out.csv", results=ada)

    assert done.returncode == 2
    assert f"{marks['parts'][0]['part']}.{step['step']}, {step['max_score']:g} points, now" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_classroom_50_gets_the_result_of_one_submission(
    run: Export, ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "OWNER"):
        monkeypatch.setenv(name, f"the {name}")

    done = run("--format", "classroom50", "--out", tmp_path / "result.json", results=ada)

    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["owner"] == "the OWNER"


BOOK = ("--canvas", "../roster.csv")
WRONG_USES = [
    ((), 2, "--format"),
    (("--format", "canvas"), 2, "--format canvas needs --canvas FILE"),
    (("--format", "canvas", *BOOK, "--column", "part1"), 2, "PART=TITLE was expected"),
    (("--format", "canvas", *BOTH, *BOOK), 2, "roster.csv: it has no column `Queries, keys and values`"),
    (("--format", "classroom50"), 2, "holds one submission"),
]


@pytest.mark.parametrize(("words", "code", "told"), WRONG_USES)
def test_a_wrong_use_writes_nothing_and_says_what_was_expected(
    run: Export, tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    done = run(*words, "--out", tmp_path / "out")

    assert done.returncode == code
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


# What a person has decided

PART = "part1_simplified"


@pytest.fixture
def results(fixed: Path, tmp_path: Path) -> Path:
    """Results of the class, beside which somebody has decided on a step of ada's."""
    copied = Path(shutil.copytree(fixed / "results", tmp_path / "results"))
    line = f"ada,{PART},softmax,2.5,right but for the type\n"
    (copied / "adjustments.csv").write_text(f"student,part,step,points,reason\n{line}")
    return copied


def test_what_was_decided_beside_the_results_is_applied(run: Export, results: Path, tmp_path: Path) -> None:
    done = run("--format", "csv", "--out", tmp_path / "out.csv", results=results)

    assert done.returncode == 0, done.stderr
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert {row["student"]: row[PART] for row in csv.DictReader(file)}["ada"] == "4.5"


def test_a_decision_that_cannot_be_used_stops_the_command_and_is_named(
    run: Export, results: Path, tmp_path: Path
) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points\nada,{PART},lots\n")

    done = run("--format", "csv", "--out", tmp_path / "out.csv", results=results)

    assert done.returncode == 2
    assert "line 2: points is `lots`" in done.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("decided", [f"{PART},4.5,", f"{PART},,yes", ",,yes"])
def test_who_hands_in_again_after_a_decision_is_named(
    run: Export, fixed: Path, results: Path, tmp_path: Path, decided: str
) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points,excused\nada,{decided}\n")
    note_judged(results, load(Workspace(fixed / "course").syllabus))
    marks = json.loads((results / "marks" / "ada.json").read_text(encoding="utf-8"))
    parts = [part | {"digest": "sha256:another"} for part in marks["parts"]]
    (results / "marks" / "ada.json").write_text(json.dumps(marks | {"parts": parts}), encoding="utf-8")

    done = run("--format", "csv", "--out", tmp_path / "out.csv", results=results)

    assert f"a new attempt of {PART} has come after line 2 of the adjustments" in " ".join(done.stderr.split())


def test_the_gradebook_itself_is_not_overwritten(run: Export, fixed: Path, tmp_path: Path) -> None:
    roster = Path(shutil.copy(fixed / "roster.csv", tmp_path))

    done = run("--format", "canvas", "--canvas", roster, "--out", roster)

    assert done.returncode == 2
    assert roster.read_bytes() == (fixed / "roster.csv").read_bytes()

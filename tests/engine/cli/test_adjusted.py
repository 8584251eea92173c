"""What a person has decided, at the command line: applied by the report and every export, noticed by whoever marks again."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.classroom.results import Results
from autograder.cli.export import export
from autograder.cli.grade import _summarised
from autograder.cli.report import report
from autograder.cli.results_folder import note_judged
from autograder.exam.syllabus import Syllabus, load
from autograder.workspace import Workspace

PART = "part1_simplified"
DECISION = f"student,part,step,points,reason\nada,{PART},softmax,2.5,right but for the type\n"

Export = Callable[..., Result]


@pytest.fixture
def fixed(course: Workspace) -> Path:
    """The course of the small fixed class of the exports."""
    return course.root / "tests" / "engine" / "classroom" / "exports" / "course"


@pytest.fixture
def results(fixed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixed.parent / "results", tmp_path / "results"))


@pytest.fixture
def syllabus(fixed: Path) -> Syllabus:
    return load(fixed / "exams" / "syllabus.json")


@pytest.fixture
def run(fixed: Path, results: Path, tmp_path: Path) -> Export:
    """Export the class as a table."""

    def invoke(*words: object) -> Result:
        options = (results, "--format", "csv", "--out", tmp_path / "out.csv", *words)
        return CliRunner().invoke(export, list(map(str, options)), obj=Workspace(fixed))

    return invoke


def exported(tmp_path: Path) -> dict[str, dict[str, str]]:
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_what_lies_with_the_results_is_applied(run: Export, results: Path, tmp_path: Path) -> None:
    (results / "adjustments.csv").write_text(DECISION)

    done = run()

    assert done.exit_code == 0, done.output
    assert exported(tmp_path)["ada"][PART] == "4.5"


def test_a_line_that_cannot_be_used_stops_the_command_and_is_named(run: Export, results: Path, tmp_path: Path) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points\nada,{PART},lots\n")

    done = run()

    assert done.exit_code == 2
    assert "line 2: points is `lots`" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_the_report_lists_what_was_decided(fixed: Path, results: Path, tmp_path: Path) -> None:
    (results / "adjustments.csv").write_text(DECISION)

    done = CliRunner().invoke(report, [str(results), "--out", str(tmp_path / "report.html")], obj=Workspace(fixed))

    assert done.exit_code == 0, done.output
    for page in (tmp_path / "report.html", tmp_path / "report_students" / "ada.html"):
        assert "right but for the type" in page.read_text(encoding="utf-8")


def hand_in_again(results: Path) -> None:
    path = results / "marks" / "ada.json"
    marks = json.loads(path.read_text(encoding="utf-8"))
    for part in marks["parts"]:
        part["digest"] = "sha256:another"
    path.write_text(json.dumps(marks), encoding="utf-8")


def looks_in_summary(fixed: Path, results: Path) -> dict[str, str]:
    """Write the list of all students and return what there is to look at, by student."""
    _summarised(Workspace(fixed), Results(results), results, None)
    with (results / "summary.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row["look"] for row in csv.DictReader(file)}


def test_who_hands_in_again_after_a_decision_is_named(
    fixed: Path, results: Path, syllabus: Syllabus, run: Export
) -> None:
    (results / "adjustments.csv").write_text(DECISION)
    note_judged(results, None, syllabus)
    assert "new attempt" not in looks_in_summary(fixed, results)["ada"]

    hand_in_again(results)

    again = f"a new attempt of {PART} has come after line 2 of the adjustments"
    assert again in looks_in_summary(fixed, results)["ada"]
    assert again in " ".join(run().stderr.split())

    (results / "adjustments.csv").write_text(DECISION.replace("right", "still right"))
    note_judged(results, None, syllabus)
    assert again not in looks_in_summary(fixed, results)["ada"]


def test_a_decision_on_nobody_of_the_class_has_a_line_in_the_list_of_all(fixed: Path, results: Path) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points\nadda,{PART},1\n")

    said = "must act: line 2 of the adjustments names nobody of the class, or several; did you mean `ada`?"
    assert looks_in_summary(fixed, results)["adda"] == said

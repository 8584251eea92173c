"""What a person has decided, at the command line: applied by the report and every export, noticed by whoever marks again."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from autograder.classroom.results import Results
from autograder.cli.adjusted import note_judged, summarise_all
from autograder.cli.export import export
from autograder.cli.report import report
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


def test_another_file_can_be_given(run: Export, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(DECISION)

    run("--adjustments", tmp_path / "other.csv")

    assert "right but for the type" in exported(tmp_path)["ada"]["adjusted"]


def test_a_file_that_was_given_must_be_there(run: Export, tmp_path: Path) -> None:
    done = run("--adjustments", tmp_path / "none.csv")

    assert (done.exit_code, "There is no file" in done.stderr) == (2, True)


def test_a_line_that_cannot_be_used_stops_the_command_and_is_named(run: Export, results: Path, tmp_path: Path) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points\nada,{PART},lots\n")

    done = run()

    assert done.exit_code == 2
    assert "line 2: points is `lots`" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_what_could_not_be_read_is_told(run: Export) -> None:
    assert f"must act: =1+1: {PART} could not be read: SyntaxError" in run().stderr


def test_the_decisions_are_no_place_for_an_export(run: Export, results: Path) -> None:
    assert run("--out", results / "adjustments.csv").exit_code == 2


def test_the_report_lists_what_was_decided(fixed: Path, results: Path, tmp_path: Path) -> None:
    (results / "adjustments.csv").write_text(DECISION)

    done = CliRunner().invoke(report, [str(results), "--out", str(tmp_path / "report.html")], obj=Workspace(fixed))

    assert done.exit_code == 0, done.output
    for page in (tmp_path / "report.html", tmp_path / "report_students" / "ada.html"):
        assert "right but for the type" in page.read_text(encoding="utf-8")


def hand_in_again(results: Path) -> None:
    path = results / "marks" / "ada.json"
    marks = json.loads(path.read_text(encoding="utf-8"))
    marks["digest"] = "sha256:another"
    path.write_text(json.dumps(marks), encoding="utf-8")


def looks_in_summary(fixed: Path, results: Path) -> dict[str, str]:
    """Write the list of all students and return what there is to look at, by student."""
    summarise_all(Workspace(fixed), Results(results), results, None)
    with (results / "summary.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row["look"] for row in csv.DictReader(file)}


def test_who_hands_in_again_after_a_decision_is_named(
    fixed: Path, results: Path, syllabus: Syllabus, run: Export
) -> None:
    (results / "adjustments.csv").write_text(DECISION)
    note_judged(results, None, syllabus)
    assert "another hand-in" not in looks_in_summary(fixed, results)["ada"]

    hand_in_again(results)

    again = f"another hand-in of {PART} counts now (sha256:another) than line 2 of the adjustments was decided for"
    assert looks_in_summary(fixed, results)["ada"].startswith(f"must act: {again}")
    assert f"must act: ada: {again}" in " ".join(run().stderr.split())


def test_marks_under_two_names_of_one_person_are_told_and_all_are_listed(
    fixed: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marks = json.loads((results / "marks" / "ada.json").read_text(encoding="utf-8"))
    (results / "marks" / "ada@uni.json").write_text(json.dumps(marks | {"submission": "ada@uni"}), encoding="utf-8")
    (results / "roster.csv").write_text("name,login\nAda,ada\n")

    assert {"ada", "ada@uni"} <= looks_in_summary(fixed, results).keys()
    assert "ada@uni" in capsys.readouterr().err


def test_what_cannot_be_read_is_not_looked_for_in_parts_that_nobody_has_written_in(fixed: Path, results: Path) -> None:
    for name in ("ada", "eve", "formula"):
        path = results / "marks" / f"{name}.json"
        marks = json.loads(path.read_text(encoding="utf-8"))
        for step in (step for part in marks["parts"] if part["part"] != PART for step in part["steps"]):
            step["verdict"] = "not_attempted"
        if name == "eve":
            marks["looks"] = [{"urgency": "must act", "says": "No part was found in hw.pdf.", "part": ""}]
        path.write_text(json.dumps(marks), encoding="utf-8")

    looks = [look for student, look in looks_in_summary(fixed, results).items() if "eve" in student]
    assert looks == ["must act: No part was found in hw.pdf."]


def test_a_decision_on_nobody_of_the_class_has_a_line_in_the_list_of_all(fixed: Path, results: Path) -> None:
    (results / "adjustments.csv").write_text(f"student,part,points\nadda,{PART},1\n")

    said = "must act: line 2 of the adjustments names nobody of the class; did you mean `ada`?"
    assert looks_in_summary(fixed, results)["adda"] == said


def without_the_part(marks: dict[str, Any]) -> dict[str, Any]:
    return marks | {"score": 0.0, "max_score": 0.0, "parts": []}


def with_an_error(marks: dict[str, Any]) -> dict[str, Any]:
    first, *others = marks["parts"]
    return marks | {"parts": [first | {"error": "not a zip"}, *others]}


@pytest.mark.parametrize(
    ("nothing_yet", "word"), [(without_the_part, "not handed in"), (with_an_error, "not readable")]
)
def test_a_decision_on_no_work_does_not_silently_outlive_work_that_comes_later(
    nothing_yet: Callable[[dict[str, Any]], dict[str, Any]],
    word: str,
    fixed: Path,
    results: Path,
    syllabus: Syllabus,
    run: Export,
    tmp_path: Path,
) -> None:
    path = results / "marks" / "ada.json"
    work = path.read_bytes()
    path.write_text(json.dumps(nothing_yet(json.loads(work))), encoding="utf-8")
    (results / "adjustments.csv").write_text(f"student,part,points\nada,{PART},0\n")
    note_judged(results, None, syllabus)

    path.write_bytes(work)
    note_judged(results, None, syllabus)

    again = f"line 2 of the adjustments was decided for ({word})"
    assert again in " ".join(run().stderr.split())
    done = CliRunner().invoke(report, [str(results), "--out", str(tmp_path / "report.html")], obj=Workspace(fixed))
    assert again in " ".join(done.stderr.split())
    assert again in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_decision_that_was_looked_at_again_is_told_no_more(results: Path, syllabus: Syllabus, run: Export) -> None:
    (results / "adjustments.csv").write_text(DECISION)
    note_judged(results, None, syllabus)
    hand_in_again(results)

    (results / "adjustments.csv").write_text(DECISION)
    note_judged(results, None, syllabus)

    assert "another hand-in" not in run().stderr


def test_a_first_marking_has_nothing_to_note(tmp_path: Path, syllabus: Syllabus) -> None:
    (tmp_path / "marks").mkdir()
    (tmp_path / "adjustments.csv").write_text(DECISION)

    note_judged(tmp_path, None, syllabus)

    assert (tmp_path / "adjustments.csv").read_text() == DECISION

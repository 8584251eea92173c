"""Late submissions: nbgrader's rule for what is late, and the course's own plugin for what it costs."""

import re
import sys
from datetime import datetime
from pathlib import Path

import pytest
from graded import PART, Open, marks_of, put

from autograder.classroom.gradebook import CONFIG, CannotKeep, read_policy
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace

DUE = datetime(2026, 11, 20, 12)
AN_HOUR_LATE = "2026-11-20 13:00:00.000000 UTC"
ZERO = "c = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
OWN = "c = get_config()\nc.AssignLatePenalties.plugin_class = 'rules.AnHour'\n"
RULES = """
from nbgrader.plugins import BasePlugin

class AnHour(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return {expression}
"""


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the plugin of another test: nbgrader puts each course directory on the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "rules", raising=False)


@pytest.fixture
def due(sqlite: str, opened: Open) -> str:
    """A gradebook in which part 1 was due at noon."""
    opened(sqlite).add_assignment(PART, duedate=DUE)
    return sqlite


def course(folder: Path, config: str, expression: str = "") -> Path:
    (folder / CONFIG).write_text(config)
    (folder / "rules.py").write_text(RULES.format(expression=expression))
    return folder


@pytest.mark.parametrize(("at", "late"), [("11:55", []), ("12:30", []), ("13:00", [("ada", f"{PART}: 0:15:00")])])
def test_late_is_what_comes_after_the_due_date_and_the_extension(
    due: str, syllabus: Syllabus, opened: Open, at: str, late: list[tuple[str, str]]
) -> None:
    put(due, syllabus, marks_of(syllabus, "ada"))
    opened(due).grant_extension(PART, "ada", minutes=45)

    assert put(due, syllabus, marks_of(syllabus, "ada", submitted_at=f"2026-11-20 {at}:00 UTC")).late == late


def test_who_was_late_is_returned_and_the_time_is_kept(due: str, syllabus: Syllabus, opened: Open) -> None:
    written = put(due, syllabus, marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE), marks_of(syllabus, "bob"))

    assert written.late == [("ada", f"{PART}: 1:00:00")]
    assert opened(due).find_submission(PART, "ada").total_seconds_late == 3600


def test_without_a_policy_nothing_is_taken_off(due: str, syllabus: Syllabus, opened: Open, tmp_path: Path) -> None:
    policy = read_policy(course(tmp_path, ""))

    put(due, syllabus, marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE), policy=policy)

    assert opened(due).find_submission(PART, "ada").late_submission_penalty == 0.0


def test_nbgraders_own_policy_takes_all_off(due: str, syllabus: Syllabus, opened: Open, tmp_path: Path) -> None:
    policy = read_policy(course(tmp_path, ZERO))

    put(
        due,
        syllabus,
        marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE),
        marks_of(syllabus, "bob", submitted_at="2026-11-20 11:00:00 UTC"),
        policy=policy,
    )

    penalties = {one.student.id: one.late_submission_penalty for one in opened(due).assignment_submissions(PART)}
    assert penalties == {"ada": 21.0, "bob": 0.0}


@pytest.mark.parametrize(
    ("expression", "penalty"),
    [("score * total_seconds_late / 36000", 2.1), ("1000", 21.0), ("-5", 0.0), ("None", 0.0), ("len(student_id)", 3.0)],
)
def test_a_plugin_beside_the_configuration_decides(
    due: str, syllabus: Syllabus, opened: Open, tmp_path: Path, expression: str, penalty: float
) -> None:
    policy = read_policy(course(tmp_path, OWN, expression))

    put(due, syllabus, marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE), policy=policy)

    assert opened(due).find_submission(PART, "ada").late_submission_penalty == pytest.approx(penalty)


def test_an_extension_takes_the_penalty_back(due: str, syllabus: Syllabus, opened: Open, tmp_path: Path) -> None:
    policy = read_policy(course(tmp_path, ZERO))
    late = marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE)
    put(due, syllabus, late, policy=policy)
    book = opened(due)
    book.grant_extension(PART, "ada", hours=2)

    put(due, syllabus, late, policy=policy)

    assert opened(due).find_submission(PART, "ada").late_submission_penalty == 0.0


def test_the_policy_in_the_guide_takes_five_points_for_each_day_that_has_begun(
    course: Workspace, tmp_path: Path, due: str, syllabus: Syllabus, opened: Open
) -> None:
    page = (course.root / "docs" / "keep_a_gradebook.md").read_text(encoding="utf-8")
    (config,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / CONFIG).write_text(config)

    put(due, syllabus, marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE), policy=read_policy(tmp_path))

    assert opened(due).find_submission_notebook(PART, PART, "ada").late_submission_penalty == 5


def test_a_plugin_that_fails_is_told(due: str, syllabus: Syllabus, tmp_path: Path) -> None:
    policy = read_policy(course(tmp_path, OWN, "1 / 0"))

    with pytest.raises(CannotKeep, match="ZeroDivisionError: division by zero"):
        put(due, syllabus, marks_of(syllabus, "ada", submitted_at=AN_HOUR_LATE), policy=policy)

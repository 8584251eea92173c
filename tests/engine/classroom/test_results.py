"""Marks on disk are whole, are found again, and cannot be mistaken for another student's."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.classroom.results import Results, name_of, to_bytes
from autograder.course.answer import Failure
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam, Key, Paper
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.grading.results import SCHEMA, Check, Marks, PartMarks, StepMarks
from autograder.submission.model import Look, Source, Submission, Urgency

PARTS = ("part1_simplified",)
NOTHING = Marks("ada", "", "", "", 0.0, "none", ())


def exam(digest: str = "exam", parts: tuple[str, ...] = PARTS) -> Exam:
    syllabus = Syllabus(tuple(SyllabusPart(part, "", "", ()) for part in parts))
    return Exam(syllabus, Paper(()), Key({}), digest)


def submission(name: str = "ada", text: str = "x = 1", **problems: str) -> Submission:
    failures = {part: Failure("missing", message) for part, message in problems.items()}
    return Submission(name, {"part1_simplified": Source.module(f"{name}/part1_simplified.py", text)}, failures)


def marks_with(message: str, checks: int) -> Marks:
    made = tuple(Check("case", "values", False, message) for _ in range(checks))
    step = StepMarks("softmax", Verdict.WRONG_VALUES, 0.0, 8.0, made)
    return Marks("ada", "sha256:1", "sha256:2", "", 0.1, "full", (PartMarks("part1_simplified", None, (step,)),))


def test_what_was_written_is_found_by_a_later_run(tmp_path: Path) -> None:
    marks = marks_with("no", 3)
    Results(tmp_path).write("ada.1.json", to_bytes(marks))

    assert Results(tmp_path).find("ada.1.json") == marks


def test_marks_of_another_text_or_schema_or_half_written_count_as_none(tmp_path: Path) -> None:
    whole = to_bytes(marks_with("no", 1))
    earlier = whole.replace(SCHEMA.encode(), b"attn-marks/1")
    for student, content in {"ada": earlier, "bob": b'{"score": ', "eve": whole}.items():
        Results(tmp_path).write(f"{student}.1.json", content)

    assert [Results(tmp_path).find(name) for name in ("ada.1.json", "bob.1.json", "eve.2.json")] == [None] * 3


def test_newer_marks_of_a_student_move_the_older_ones_away(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.write("ada.1.json", b"{}")
    results.write("bob.1.json", b"{}")

    results.write("ada.2.json", b"{}")

    assert sorted(path.name for path in results.marks.iterdir()) == ["ada.2.json", "bob.1.json"]
    assert [path.name for path in (tmp_path / "superseded").iterdir()] == ["ada.1.json"]


def test_marks_of_one_part_do_not_replace_those_of_another(tmp_path: Path) -> None:
    both = exam(parts=("part1_simplified", "part2_trainable"))
    names = [name_of(submission(), both, parts) for parts in (("part1_simplified",), ("part2_trainable",))]

    for name in names:
        Results(tmp_path).write(name, b"{}")

    assert sorted(path.name for path in (tmp_path / "marks").iterdir()) == sorted(names)
    assert [name.split(".")[1] for name in names] == ["part1_simplified", "part2_trainable"]


def test_the_name_changes_with_the_text_the_exam_the_parts_the_student_and_what_is_to_be_looked_at() -> None:
    names = {
        name_of(submission(), exam("exam 1"), PARTS),
        name_of(submission(text="x = 2"), exam("exam 1"), PARTS),
        name_of(submission(), exam("exam 2"), PARTS),
        name_of(submission(), exam("exam 1"), (*PARTS, "part2_trainable")),
        name_of(submission("bob"), exam("exam 1"), PARTS),
        name_of(submission(part2_trainable="not UTF-8"), exam("exam 1"), PARTS),
        name_of(replace(submission(), looks=(Look(Urgency.CHECK, "essay.rar"),)), exam("exam 1"), PARTS),
    }

    assert len(names) == 7


@pytest.mark.parametrize(
    ("student", "begins"),
    [
        ("ada", "ada."),
        ("Zoë Ångström", "Zoë Ångström."),
        ("王小明", "王小明."),
        ("../../etc", "%2E%2E%2F%2E%2E%2Fetc."),
        (".hidden", "%2Ehidden."),
        ("a\nb", "a%0Ab."),
        ("100%", "100%25."),
        ("a.b", "a%2Eb."),
        ("\udcff", "%FF."),
    ],
)
def test_a_students_name_becomes_a_name_that_every_file_system_takes(student: str, begins: str) -> None:
    assert name_of(submission(student), exam(), PARTS).startswith(begins)


def test_marks_of_two_long_names_that_begin_alike_are_both_kept(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for end in "xy":
        results.write(name_of(submission("a" * 250 + end), exam(), PARTS), b"{}")

    assert len(list(results.marks.iterdir())) == 2

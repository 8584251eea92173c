"""What a person has decided, read from `adjustments.csv`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.classroom.adjustments import Adjustment, BadAdjustments, read_adjustments
from autograder.exam.model import Exam
from autograder.exam.syllabus import Syllabus

HEADER = "student,part,step,points,excused,extension,late,reason\n"


@pytest.fixture(scope="session")
def syllabus(practice: Exam) -> Syllabus:
    return practice.syllabus


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "adjustments.csv"


def read(file: Path, syllabus: Syllabus, *lines: str, header: str = HEADER) -> tuple[Adjustment, ...]:
    file.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_adjustments(file.parent, syllabus)


def test_without_a_file_nothing_was_decided(file: Path, syllabus: Syllabus) -> None:
    assert read_adjustments(file.parent, syllabus) == ()


def test_each_line_is_a_decision(file: Path, syllabus: Syllabus) -> None:
    assert read(
        file,
        syllabus,
        'ada,part1_simplified,softmax,2.5,,,,"right, but for the type"',
        "bob,part1_simplified,,,yes,,,ill",
        "carol,,,,,7,,",
        "dan,part2_trainable,,,,,0,the platform was down",
    ) == (
        Adjustment(2, "ada", "part1_simplified", "softmax", points=2.5, reason="right, but for the type"),
        Adjustment(3, "bob", "part1_simplified", excused=True, reason="ill"),
        Adjustment(4, "carol", extension=timedelta(days=7)),
        Adjustment(5, "dan", "part2_trainable", late=0.0, reason="the platform was down"),
    )


@pytest.mark.parametrize("part", ["1", "part1", "part1_simplified"])
def test_a_part_is_meant_by_its_number_and_by_how_its_name_begins(file: Path, syllabus: Syllabus, part: str) -> None:
    assert [one.part for one in read(file, syllabus, f"ada,{part},,3,,,,")] == ["part1_simplified"]


@pytest.mark.parametrize(
    ("extension", "until"),
    [
        ("", datetime(2026, 10, 1, 12, tzinfo=UTC)),
        ("1.5", datetime(2026, 10, 3, 0, tzinfo=UTC)),
        ("2026-10-08", datetime(2026, 10, 8, 23, 59, 59, tzinfo=UTC)),
        ("2026-10-08 18:00", datetime(2026, 10, 8, 18, tzinfo=UTC)),
        ("2026-10-08T18:00:00+02:00", datetime(2026, 10, 8, 16, tzinfo=UTC)),
    ],
)
def test_an_extension_is_days_or_a_date_or_a_time(
    file: Path, syllabus: Syllabus, extension: str, until: datetime
) -> None:
    (found,) = read(file, syllabus, f"ada,,,,,{extension},0,")

    assert found.extended(datetime(2026, 10, 1, 12, tzinfo=UTC)) == until


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (",part1_simplified,,3,,,,", "line 2: it names no student"),
        ("ada,,,,,,,why", "line 2: it decides nothing"),
        ("ada,,,3,,,,", "line 2: points need a part"),
        ("ada,part1_simplifed,,3,,,,", "no part `part1_simplifed`; did you mean `part1_simplified`?"),
        ("ada,part1_simplified,sofmax,3,,,,", "no step `sofmax`; did you mean `softmax`?"),
        ("ada,part1_simplified,,x,,,,", "points is `x`"),
        ("ada,part1_simplified,,,,3 days,,", "extension is `3 days`; days (7)"),
        ("ada,,softmax,3,,,,", "the step `softmax` needs its part"),
        ("ada,part1_simplified,,-3,,,,", "points is `-3`; a number from 0 on"),
        ("ada,part1_simplified,,nan,,,,", "points is `nan`"),
        ("ada,part1_simplified,,+1,,,,", "points is `+1`; a number from 0 on, without a sign, was expected"),
        ("ada,part1_simplified,,,ill,,,", "excused is `ill`; `yes` or nothing was expected"),
        ("ada,part1_simplified,,3,yes,,,", "an excused part has no points"),
        ("ada,part1_simplified,softmax,,yes,,,", "excused, extension and late are of a whole part"),
        ("ada,,,,,08.10.2026,,", "extension is `08.10.2026`; days (7), a date (2026-10-08)"),
    ],
)
def test_a_line_that_says_something_else_is_named_with_what_was_expected(
    file: Path, syllabus: Syllabus, line: str, told: str
) -> None:
    with pytest.raises(BadAdjustments) as refused:
        read(file, syllabus, line)

    assert told in str(refused.value)


def test_all_lines_with_problems_are_named_at_once(file: Path, syllabus: Syllabus) -> None:
    with pytest.raises(BadAdjustments, match=r"(?s)line 2: .*line 4: "):
        read(file, syllabus, "ada,,,3,,,,", "bob,,,,yes,,,", "carol,,,,,,,")


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("name,points\n", "no column `student`"),
        ("student,pionts\n", "an unknown column `pionts`; did you mean `points`?"),
    ],
)
def test_a_header_that_is_none_is_refused(file: Path, syllabus: Syllabus, header: str, told: str) -> None:
    with pytest.raises(BadAdjustments, match=told.replace("?", r"\?")):
        read(file, syllabus, header=header)


def test_two_lines_that_contradict_each_other_are_refused(file: Path, syllabus: Syllabus) -> None:
    with pytest.raises(BadAdjustments, match="lines 2 and 3 both give extension for the same"):
        read(file, syllabus, "ada,,,,,7,,", "Ada,,,,,3,,")

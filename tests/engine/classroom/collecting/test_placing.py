"""A later hand-in replaces an earlier one part by part, and nothing is lost."""

from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, PARTS, SECOND, Gather, files_of, listed, students

from autograder.classroom.collecting import placing
from autograder.classroom.collecting.handed_in import read_handed_in


def test_a_hand_in_of_several_parts_has_a_line_for_each(gather: Gather, class_: Path) -> None:
    gather({"roe_1_1_a.py": ONE, "roe_1_2_b.py": OF_SECOND})
    assert [(row.part, row.place) for row in read_handed_in(class_)] == [
        (FIRST, "roe/hand-in"),
        (SECOND, "roe/hand-in"),
    ]


def test_a_part_that_is_asked_for_is_that_of_all(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""}, part=SECOND)
    assert [(row.part, row.place) for row in read_handed_in(class_)] == [(SECOND, f"roe/{SECOND}")]


def test_work_of_another_part_than_is_asked_for_is_listed_too_and_as_late(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_a.py": ONE, "roe_LATE_102_4_b.py": OF_SECOND}, part=SECOND)

    rows = [(row.part, row.late, row.place) for row in read_handed_in(class_)]
    assert rows == [(FIRST, "yes", "roe/hand-in"), (SECOND, "yes", "roe/hand-in")]


def test_a_stub_of_another_part_than_is_asked_for_is_not_listed(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_a.py": PARTS[0].stub, "roe_102_4_b.py": OF_SECOND}, part=SECOND)
    assert [row.part for row in read_handed_in(class_)] == [SECOND]


def test_work_in_time_is_not_replaced_by_what_comes_with_another_part_that_is_asked_for(
    gather: Gather, class_: Path
) -> None:
    gather({"roe_102_3_a.py": ONE}, part=FIRST)
    gather({"roe_LATE_102_8_a.py": ONE + "x = 1", "roe_LATE_102_9_b.py": OF_SECOND}, part=SECOND)

    assert [(row.part, row.late) for row in read_handed_in(class_)] == [(FIRST, "no"), (SECOND, "yes")]
    assert (class_ / "roe" / FIRST / "a.py").read_text() == ONE


def test_what_came_with_the_part_that_is_asked_for_is_replaced_with_it(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_a.py": ONE, "roe_102_4_b.py": OF_SECOND}, part=SECOND)
    gather({"roe_102_8_a.py": ONE + "x = 1", "roe_102_9_b.py": OF_SECOND + "x = 1"}, part=SECOND)

    assert {row.from_file for row in read_handed_in(class_)} == {"roe_102_8_a.py; roe_102_9_b.py"}
    assert files_of(class_, "roe") == ["hand-in/a.py", "hand-in/b.py"]


def test_a_later_attempt_counts_and_the_earlier_is_kept_aside(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    told = gather({"roe_LATE_102_9_part1-1.py": ONE + "x = 1"})

    assert (told.replaced, told.late) == (["roe"], ["roe"])
    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE + "x = 1"
    assert (class_ / ".earlier/roe/1/part1.py").read_text() == ONE
    assert [row.late for row in read_handed_in(class_)] == ["yes"]
    assert students(class_) == ["roe"]


def test_an_earlier_download_that_comes_later_does_not_count(gather: Gather, class_: Path) -> None:
    gather({"roe_102_9_part1-1.py": ONE + "x = 1"})
    for _ in range(2):
        assert gather({"roe_102_3_part1.py": ONE}).older == ["roe"]

    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE + "x = 1"
    assert [path.name for path in (class_ / ".earlier/roe").iterdir()] == ["1"]


def test_another_part_is_put_beside_the_first(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_part2.py": OF_SECOND})
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py", f"{SECOND}/part2.py"]


def test_what_cannot_be_read_does_not_replace_what_can(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_work.pdf": ""})
    assert files_of(class_, "roe") == ["hand-in/work.pdf", f"{FIRST}/part1.py"]


def test_a_stub_replaces_no_work_and_takes_away_no_lateness(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE})
    gather({"roe_102_8_part1.py": PARTS[0].stub, "roe_102_9_part2.py": OF_SECOND})

    assert listed(class_) == [(FIRST, "roe_LATE_102_3_part1.py"), (SECOND, "roe_102_8_part1.py; roe_102_9_part2.py")]
    assert [row.late for row in read_handed_in(class_)] == ["yes", "no"]
    assert (class_ / "roe" / FIRST / "part1.py").read_text() == ONE


def test_a_stub_alone_in_place_of_work_is_put_aside_and_told(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    told = gather({"roe_102_8_part1.py": PARTS[0].stub})

    assert (told.untouched, told.replaced, told.added) == (["roe"], [], [])
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py"]
    assert (class_ / ".earlier/roe/1/part1.py").read_text() == PARTS[0].stub


def test_a_part_that_comes_again_unchanged_keeps_its_time(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_LATE_102_8_part1.py": ONE, "roe_LATE_102_9_part2.py": OF_SECOND})

    assert [(row.part, row.late) for row in read_handed_in(class_)] == [(FIRST, "no"), (SECOND, "yes")]
    assert {row.place for row in read_handed_in(class_)} == {"roe/hand-in"}


@pytest.mark.parametrize(
    ("head", "late"),
    [
        ("import mine", "yes"),
        ("import \\\n    mine", "yes"),
        ("import \uff4dine", "yes"),
        ("from more import *", "yes"),
        ("import math", "no"),
    ],
)
def test_a_part_is_changed_where_what_it_imports_is_changed(gather: Gather, class_: Path, head: str, late: str) -> None:
    part = f"{head}\n{ONE}"
    gather({"roe_102_3_part1.py": part, "roe_102_4_mine.py": "x = 1", "roe_102_5_more.py": "x = 1"})
    gather({"roe_LATE_102_8_part1.py": part, "roe_LATE_102_9_mine.py": "x = 2", "roe_LATE_102_10_more.py": OF_SECOND})

    assert [row.late for row in read_handed_in(class_)] == [late, "yes"]


def test_a_part_is_changed_where_it_imports_another_part_that_is(gather: Gather, class_: Path) -> None:
    part = f"from {SECOND} import *\n{ONE}"
    gather({"roe_102_3_part1.py": part, f"roe_102_4_{SECOND}.py": OF_SECOND})
    gather({"roe_LATE_102_8_part1.py": part, f"roe_LATE_102_9_{SECOND}.py": OF_SECOND + "x = 1"})

    assert [row.late for row in read_handed_in(class_)] == ["yes", "yes"]


def test_of_two_parts_the_one_that_is_changed_is_replaced(gather: Gather, class_: Path) -> None:
    gather({"roe_102_1_a.py": ONE, "roe_102_2_b.py": OF_SECOND})
    gather({"roe_102_8_a.py": ONE + "x = 1", "roe_102_9_b.py": OF_SECOND})

    assert listed(class_) == [(FIRST, "roe_102_8_a.py; roe_102_9_b.py"), (SECOND, "roe_102_1_a.py; roe_102_2_b.py")]
    assert files_of(class_, "roe") == ["hand-in/a.py", "hand-in/b.py"]


@pytest.mark.parametrize("files", [{"roe_102_3_work.pdf": ""}, {"roe_102_3_work.rar": ""}, {"roe_102_3_work.py": ""}])
def test_what_holds_no_part_stays_when_a_part_comes(gather: Gather, class_: Path, files: dict[str, str]) -> None:
    gather({**files, "poe_101_1_part1.py": ONE})
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert [(row.part, row.from_file) for row in read_handed_in(class_) if row.student == "roe"] == [
        ("", *files),
        (SECOND, "roe_102_9_part2.py"),
    ]
    assert not (class_ / ".earlier").exists()


def test_what_holds_no_part_is_kept_though_a_part_came_before_that_was_handed_in_later(
    gather: Gather, class_: Path
) -> None:
    gather({"roe_102_9_part2.py": OF_SECOND, "poe_101_1_part1.py": ONE})
    gather({"roe_102_3_work.pdf": ""})
    assert ("", "roe_102_3_work.pdf") in listed(class_)


def test_what_can_be_read_replaces_what_was_handed_in_for_the_part_and_cannot(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""}, part=FIRST)
    gather({"roe_102_9_part1.py": ONE})
    assert listed(class_) == [(FIRST, "roe_102_9_part1.py")]


@pytest.mark.parametrize("text", [ONE, ""], ids=["work", "nothing"])
def test_two_parts_that_are_asked_for_are_two_though_they_are_the_same_file(
    gather: Gather, class_: Path, text: str
) -> None:
    for part in (FIRST, SECOND):
        gather({"roe_102_3_work.pdf": text}, part=part)
    assert listed(class_) == [(FIRST, "roe_102_3_work.pdf"), (SECOND, "roe_102_3_work.pdf")]


def test_nothing_to_be_read_for_a_part_lies_beside_the_work_of_before(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    for _ in range(2):
        gather({"roe_102_9_work.pdf": ""}, part=FIRST)
    assert listed(class_) == [(FIRST, "roe_102_3_part1.py"), (FIRST, "roe_102_9_work.pdf")]


@pytest.mark.parametrize("name", [f"{FIRST}.py", f"{FIRST}-1.ipynb", f"{FIRST}.pdf"])
def test_what_cannot_be_read_is_of_the_part_that_it_is_named_like(gather: Gather, class_: Path, name: str) -> None:
    gather({f"roe_102_3_{name}": ""})
    assert listed(class_) == [(FIRST, f"roe_102_3_{name}")]


def test_the_part_of_what_is_there_without_one_can_be_told_later(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_work.pdf": ""})
    gather({"roe_102_3_work.pdf": ""}, part=FIRST)
    assert listed(class_) == [(FIRST, "roe_102_3_work.pdf")]


def test_what_no_part_is_known_of_is_settled_by_all_parts_that_come_later(gather: Gather, class_: Path) -> None:
    gather({"poe_101_1_a.py": ONE, "poe_101_2_b.py": OF_SECOND, "roe_102_4_work.pdf": ""})
    gather({"roe_102_8_part1.py": ONE})
    unsettled = listed(class_)
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert ("", "roe_102_4_work.pdf") in unsettled
    assert [row.from_file for row in read_handed_in(class_) if row.student == "roe"] == [
        "roe_102_8_part1.py",
        "roe_102_9_part2.py",
    ]
    assert files_of(class_, ".earlier/roe") == ["1/work.pdf"]


def test_what_no_part_is_known_of_is_not_settled_by_what_came_before_it(gather: Gather, class_: Path) -> None:
    gather({"roe_102_3_part1.py": ONE})
    gather({"roe_102_9_work.pdf": ""})
    assert ("", "roe_102_9_work.pdf") in listed(class_)


def test_stubs_of_a_part_that_nobody_has_written_in_keep_nothing_from_being_settled(
    gather: Gather, class_: Path
) -> None:
    gather({"poe_101_1_a.py": ONE, f"poe_101_2_{SECOND}.py": PARTS[1].stub, "roe_102_4_work.pdf": ""})
    gather({"roe_102_8_part1.py": ONE})
    assert "roe_102_4_work.pdf" not in [file for _, file in listed(class_)]


def test_a_clone_has_the_time_of_its_last_commit(gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    monkeypatch.setattr(placing, "commit_time", lambda _: datetime(2026, 10, 1, 12, tzinfo=UTC))
    gather({"hw-ada/.git/HEAD": "", "hw-ada/part1.py": ONE, "hw-bob/.git/HEAD": "", "hw-bob/part1.py": ONE})
    assert [(row.student, row.handed_in_at) for row in read_handed_in(class_)] == [
        ("ada", "2026-10-01T12:00:00+00:00"),
        ("bob", "2026-10-01T12:00:00+00:00"),
    ]

"""A later hand-in replaces an earlier one part by part, and nothing is lost."""

from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, PARTS, SECOND, Gather, files_of, listed, students

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


def test_of_two_parts_the_one_that_is_changed_is_replaced(gather: Gather, class_: Path) -> None:
    gather({"roe_102_1_a.py": ONE, "roe_102_2_b.py": OF_SECOND})
    gather({"roe_102_8_a.py": ONE + "x = 1", "roe_102_9_b.py": OF_SECOND})

    assert listed(class_) == [(FIRST, "roe_102_8_a.py; roe_102_9_b.py"), (SECOND, "roe_102_1_a.py; roe_102_2_b.py")]
    assert files_of(class_, "roe") == ["hand-in/a.py", "hand-in/b.py"]


@pytest.mark.parametrize("name", [f"{FIRST}.py", f"{FIRST}-1.ipynb", f"{FIRST}.pdf"])
def test_what_cannot_be_read_is_of_the_part_that_it_is_named_like(gather: Gather, class_: Path, name: str) -> None:
    gather({f"roe_102_3_{name}": ""})
    assert listed(class_) == [(FIRST, f"roe_102_3_{name}")]

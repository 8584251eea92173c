"""For each part the newest attempt with work in it counts, and what cannot be read is never silent."""

from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, PARTS, SECOND, Gather, read, texts

from autograder.classroom.attempts import LATE, HandedIn, read_entry, read_handed_in, write_handed_in
from autograder.classroom.lateness import read_time
from autograder.submission.model import Urgency

STUB = PARTS[0].stub
BETTER = ONE + "x = 1\n"


def test_each_part_is_of_the_newest_attempt_with_work_in_it(gather: Gather, class_: Path) -> None:
    gather({"roe_1_1_part1.py": ONE, "roe_1_2_part2.py": OF_SECOND})
    gather({"roe_1_8_part1.py": BETTER})
    gather({"roe_1_9_part2.py": PARTS[1].stub})

    assert texts(class_, "roe") == {FIRST: BETTER, SECOND: OF_SECOND}


SOFTMAX = "def softmax(x):\n    return x\n"


@pytest.mark.parametrize(
    ("older", "newer", "is_said"),
    [
        (STUB + ONE + SOFTMAX, STUB + ONE, True),
        (ONE + SOFTMAX, f"{SOFTMAX}def dot_product(a, b:\n", True),
        (ONE, SOFTMAX, False),
        (STUB + ONE, STUB + ONE + SOFTMAX, False),
    ],
)
def test_an_older_attempt_with_work_in_more_steps_is_to_be_checked(
    gather: Gather, class_: Path, older: str, newer: str, is_said: bool
) -> None:
    gather({"roe_1_3_part1.py": older})
    gather({"roe_1_9_part1.py": newer})

    assert texts(class_, "roe") == {FIRST: newer}
    says = [(look.urgency, look.part, " has work in 2 steps, " in look.says) for look in read(class_, "roe").looks]
    assert says == ([(Urgency.CHECK, FIRST, True)] if is_said else [])


def test_a_stub_takes_the_place_of_no_work_and_its_lateness(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE})
    gather({"roe_102_8_part1.py": STUB, "roe_102_9_part2.py": OF_SECOND})

    assert texts(class_, "roe") == {FIRST: ONE, SECOND: OF_SECOND}
    assert read(class_, "roe").submitted_at == {FIRST: LATE}


@pytest.mark.parametrize(("again", "late"), [("x = 1", False), ("x = 2", True)])
def test_a_part_that_comes_again_unchanged_with_what_it_imports_keeps_its_time(
    gather: Gather, class_: Path, again: str, late: bool
) -> None:
    part = f"import mine\n{ONE}"
    gather({"roe_102_3_part1.py": part, "roe_102_4_mine.py": "x = 1"})
    gather({"roe_LATE_102_8_part1.py": part, "roe_LATE_102_9_mine.py": again, "roe_LATE_102_10_b.py": OF_SECOND})

    assert (FIRST in read(class_, "roe").submitted_at, SECOND in read(class_, "roe").submitted_at) == (late, True)


def test_a_part_runs_with_the_helpers_of_its_own_attempt(gather: Gather, class_: Path) -> None:
    gather({"roe_1_1_part1.py": f"import mine\n{ONE}", "roe_1_2_mine.py": "x = 1"})
    gather({"roe_1_8_part2.py": f"import mine\n{OF_SECOND}", "roe_1_9_mine.py": "x = 2"})

    found = read(class_, "roe")
    assert [found.code_of(part)["mine"].text for part in (FIRST, SECOND)] == ["x = 1", "x = 2"]


# What cannot be read


@pytest.mark.parametrize("name", ["hw.pdf", "hw.rar", "hw.py"])
@pytest.mark.parametrize("beside", [{}, {"roe_1_8_stub.py": STUB}], ids=["alone", "beside a stub"])
@pytest.mark.parametrize("part", [FIRST, ""])
def test_what_cannot_be_read_is_a_problem_of_the_part_that_it_may_be(
    gather: Gather, class_: Path, name: str, beside: dict[str, str], part: str
) -> None:
    gather({f"roe_1_3_{name}": ""}, part=part)
    gather({"roe_1_9_part2.py": OF_SECOND, **beside}, part=SECOND if part else "")

    found = read(class_, "roe")
    assert texts(class_, "roe").keys() == {SECOND}
    assert found.problems.keys() == {FIRST}


@pytest.mark.parametrize("part", [FIRST, ""])
def test_what_is_newer_than_what_is_marked_and_cannot_be_read_must_be_looked_at(
    gather: Gather, class_: Path, part: str
) -> None:
    gather({"roe_1_3_part1.py": ONE})
    gather({"roe_1_9_better.pdf": ""}, part=part)

    assert texts(class_, "roe") == {FIRST: ONE}
    assert [look.urgency for look in read(class_, "roe").looks] == [Urgency.MUST_ACT]


UNPARSED = {
    "an open string": 'def dot_product(:\n"""\n',
    "UTF-16 without a byte order mark": "\0".join(ONE),
    "an unclosed bracket": ONE.replace("b)", "b"),
    "null bytes": "\x7fELF\0\0",
}


@pytest.mark.parametrize("text", UNPARSED.values(), ids=UNPARSED)
def test_a_newer_module_of_which_no_step_can_be_parsed_is_to_be_checked(
    gather: Gather, class_: Path, text: str
) -> None:
    gather({"roe_1_3_part1.py": ONE})
    gather({f"roe_1_9_{FIRST}.py": text})
    gather({"roe_1_10_part1.py": STUB})

    assert texts(class_, "roe") == {FIRST: ONE}
    (look,) = read(class_, "roe").looks
    assert (look.urgency, look.part) == (Urgency.CHECK, FIRST)
    assert " is newer than what was marked: no step can be parsed; " in look.says
    assert f"({FIRST}.py, line " in look.says


def test_a_module_of_which_a_step_can_be_parsed_holds_work(gather: Gather, class_: Path) -> None:
    broken = "def softmax(x:\n    return x\n"
    gather({"roe_1_3_part1.py": ONE})
    gather({"roe_1_9_part1.py": STUB + broken})

    assert texts(class_, "roe") == {FIRST: STUB + broken}


def test_a_module_that_cannot_be_parsed_is_marked_if_no_attempt_is_better(gather: Gather, class_: Path) -> None:
    gather({f"roe_1_3_{FIRST}.py": "def softmax(:"})
    gather({f"roe_1_9_{FIRST}.py": STUB})

    assert texts(class_, "roe") == {FIRST: "def softmax(:"}


def test_what_could_not_be_read_is_settled_by_a_later_attempt(gather: Gather, class_: Path) -> None:
    gather({"roe_1_3_part1.pdf": ""}, part=FIRST)
    gather({"roe_1_9_part1.py": ONE})

    found = read(class_, "roe")
    assert (found.problems, found.looks) == ({}, ())


@pytest.mark.parametrize("name", ["hw.zip", "hw.pdf", "hw.py"])
def test_what_cannot_be_read_and_is_known_to_be_of_one_part_leaves_the_others_alone(
    gather: Gather, class_: Path, name: str
) -> None:
    gather({f"roe_1_3_{name}": ""}, part=FIRST)

    assert read(class_, "roe").problems.keys() == {FIRST}


def test_a_broken_file_of_another_part_is_a_problem_of_its_own_part(gather: Gather, class_: Path) -> None:
    gather({"roe_1_3_part1.py": ONE, f"roe_1_4_{SECOND}.ipynb": ""}, part=FIRST)

    assert read(class_, "roe").problems.keys() == {SECOND}


def test_the_same_unreadable_file_for_another_part_is_a_problem_of_both(gather: Gather, class_: Path) -> None:
    for part in (FIRST, SECOND):
        gather({"roe_1_3_hw.pdf": ""}, part=part)

    assert read(class_, "roe").problems.keys() == {FIRST, SECOND}


# Times


def test_a_time_that_is_written_by_hand_counts_and_stays(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_1_3_part1.py": ONE})
    (row,) = read_handed_in(class_)
    write_handed_in(class_, [HandedIn(**{**vars(row), "handed_in_at": "2026-10-02T09:30:00+02:00"})])
    gather({"roe_LATE_1_3_part1.py": ONE, "roe_1_9_part2.py": OF_SECOND})

    assert read(class_, "roe").submitted_at == {FIRST: "2026-10-02T09:30:00+02:00", SECOND: LATE}


def test_late_without_a_time_is_no_time() -> None:
    assert read_time(LATE) is None


def test_an_entry_without_attempts_is_one_hand_in_with_the_times_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "part1.py").write_text(ONE)

    found = read_entry(tmp_path / "ada", "ada", PARTS, rows=[HandedIn("ada", FIRST, "2026-10-01", "", "", "ada")])
    assert (found.modules[FIRST].text, found.submitted_at) == (ONE, {FIRST: "2026-10-01"})

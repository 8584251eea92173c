"""Who is who in a download, and under which name their work lies; nobody is taken for somebody else."""

from pathlib import Path

import pytest
from downloads import BAD, FIRST, OF_SECOND, ONE, SECOND, Gather, files_of, moodle, students

from autograder.classroom.collecting.handed_in import read_handed_in
from autograder.classroom.people import read_people

ADA_S = "name,login\nAda Adams,ada\nMallory M,mal\n"


@pytest.mark.parametrize("other", ["Janet Doe_1", "\uff2aane Doe_2"], ids=["of the same number", "that looks the same"])
def test_another_name_than_before_spoils_no_later_download(gather: Gather, class_: Path, other: str) -> None:
    for name in ("Jane Doe_1", other, "Bob Roe_3"):
        gather({f"{name}_assignsubmission_file_/{FIRST}.py": ONE})

    assert "Bob Roe" in students(class_)
    assert "Bob Roe" in [person.name for person in read_people(class_ / "roster.csv").all]


@pytest.mark.parametrize("name", ["Jane Doe", "Doe, Jane", "\uff2aane Doe"])
def test_who_takes_the_name_of_another_takes_nothing_of_theirs(gather: Gather, class_: Path, name: str) -> None:
    uploads = {f"Jane Doe_1_assignsubmission_file_/{FIRST}.py": ONE, f"{name}_2_assignsubmission_file_/{FIRST}.py": ""}

    told = gather(uploads, roster="name\nJane Doe\nEve Evil\n")

    assert len(told.added) == len(told.strangers) == 2
    assert students(class_) == sorted(told.strangers)


def test_a_map_of_names_is_written_that_a_later_download_goes_by(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_102_2_part1.py": ONE})
    gather({"doejane_102_3_part2.py": OF_SECOND, "doejane_103_4_part2.py": OF_SECOND})

    people = read_people(class_ / "roster.csv").all
    assert [(person.id, person.folder) for person in people] == [
        ("101", "doejane"),
        ("102", "doejane-102"),
        ("103", "doejane-103"),
    ]
    assert files_of(class_, "doejane-102") == [f"{FIRST}/part1.py", f"{SECOND}/part2.py"]


def test_two_people_of_one_name_in_moodle_are_two(gather: Gather, class_: Path) -> None:
    files = {f"Jane Doe_{number}_assignsubmission_file_/part1.py": ONE for number in (7, 8)}
    gather(files)
    assert len(gather(files).unchanged) == 2
    assert students(class_) == ["Jane Doe", "Jane Doe-8"]


@pytest.mark.parametrize(
    "row", ["Jane Doe,101,jd,", "Jane Doe,,jd,", "Doe Jane,,jd,", '"Doe, Jane",,jd,', "J. D.,101,jd,jd@uni.edu"]
)
def test_a_roster_s_login_is_the_name_of_an_entry(gather: Gather, class_: Path, row: str) -> None:
    told = gather({"doejane_101_1_part1.py": ONE}, roster=f"name,id,login,email\n{row}\n")
    assert (students(class_), told.strangers) == (["jd"], [])
    assert (class_ / "roster.csv").read_text(encoding="utf-8") == f"name,id,login,email\n{row}\n"


@pytest.mark.parametrize("before", ["", "name,id,login\nJane Doe,101,jd\n"], ids=["no list", "a list without her"])
def test_who_is_added_to_the_roster_later_keeps_the_folder_with_the_work(
    gather: Gather, class_: Path, before: str
) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE, "poe_103_4_part1.py": ONE}, roster=before)
    later = "Student,ID,SIS Login ID\nJane Doe,101,jd\nRoe,102,u102\nPoe,103,poe\n"
    again = gather({"roe_102_8_part2.py": OF_SECOND + "x = 1"}, roster=later)
    gather({"roe_102_9_part2.py": OF_SECOND})

    assert (students(class_), again.strangers) == (["poe", "roe"], [])
    assert [(row.part, row.late) for row in read_handed_in(class_) if row.student == "roe"] == [
        (FIRST, "yes"),
        (SECOND, "no"),
    ]
    people = read_people(class_ / "roster.csv")
    assert people.of("roe") == people.of("u102")


def test_who_is_not_in_the_roster_has_an_entry_and_is_told(gather: Gather, class_: Path) -> None:
    told = gather({"roe_102_1_part1.py": ONE}, roster="name,id\nJane Doe,101\n")
    assert (students(class_), told.strangers) == (["roe"], ["roe"])


@pytest.mark.parametrize("name", ["..", ".hidden", "README", "a\\b", "=cmd|calc", "x" * 200])
def test_no_name_leads_out_or_is_lost(gather: Gather, class_: Path, name: str) -> None:
    files = {f"{name}_7_assignsubmission_file_/part1.py": ONE, "Jane Doe_8_assignsubmission_file_/part1.py": ONE}
    for _ in range(2):
        gather(files)
    assert len(students(class_)) == 2


def test_a_number_of_canvas_s_is_known_by_what_was_handed_in_where_a_roster_has_none(
    gather: Gather, class_: Path
) -> None:
    gather({"adamsada_11_900_part1.py": ONE}, roster=ADA_S)
    other = gather({"adamsada_13_950_part1.py": BAD})
    own = gather({"newname_11_960_part2.py": OF_SECOND})

    assert (own.added, other.strangers, other.replaced) == (["ada"], ["adamsada"], [])
    assert (class_ / "ada" / FIRST / "part1.py").read_text() == ONE


def test_a_number_of_moodle_s_is_a_person_s_whatever_the_name_is_now(gather: Gather, class_: Path) -> None:
    gather(moodle("Ada Adams", 101) | moodle("Mallory M", 102))
    gather(moodle("Ada Adams", 102, BAD))

    assert (class_ / "Ada Adams" / FIRST / "part1.py").read_text() == ONE
    assert (class_ / "Mallory M" / FIRST / "part1.py").read_text() == BAD


@pytest.mark.parametrize(
    "name",
    [
        "handed_in.csv",
        "Roster.csv",
        "nbgrader_config.py",
        "marks",
        "gradebook.db",
        pytest.param("\U0001d160" * 40, id="long in NFC"),
    ],
)
def test_no_name_is_taken_for_a_file_of_the_class_folder(gather: Gather, class_: Path, name: str) -> None:
    for text in (ONE, BAD):
        told = gather(moodle(name, 102, text) | moodle("Ada Adams", 101))

    assert len(students(class_)) == 2
    assert (told.replaced, told.unchanged) == (
        [entry for entry in students(class_) if entry != "Ada Adams"],
        ["Ada Adams"],
    )
    assert not (class_ / "marks").exists()

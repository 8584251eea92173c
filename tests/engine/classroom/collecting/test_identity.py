"""Whose an upload is: by id, login or e-mail, else by a name that only one person has; nobody is taken for another."""

from pathlib import Path

import pytest
from downloads import BAD, FIRST, OF_SECOND, ONE, Gather, history, moodle, students, texts

from autograder.classroom.people import Person, read_people

ADA_S = "name,login\nAda Adams,ada\nMallory M,mal\n"


@pytest.mark.parametrize(
    "row", ["Jane Doe,101,jd,", "Jane Doe,,jd,", "Doe Jane,,jd,", '"Doe, Jane",,jd,', "J. D.,101,jd,jd@uni.edu"]
)
def test_a_person_of_the_roster_is_found_by_id_or_name(gather: Gather, class_: Path, row: str) -> None:
    told = gather({"doejane_101_1_part1.py": ONE}, roster=f"name,id,login,email\n{row}\n")

    assert (students(class_), told.unmatched) == (["jd"], {})


def test_who_is_not_in_the_roster_is_listed_with_the_row_to_add_and_nothing_is_collected(
    gather: Gather, class_: Path
) -> None:
    told = gather({"roe_102_1_part1.py": ONE, "doejane_101_2_part1.py": ONE}, roster="name,id\nJane Doe,101\n")

    assert told.unmatched == {Person("roe", "102"): ["roe_102_1_part1.py"]}
    assert students(class_) == ["101"]


@pytest.mark.parametrize("name", ["Jane Doe", "Doe, Jane", "\uff2aane Doe"])
def test_of_two_who_match_one_person_neither_is_collected(gather: Gather, class_: Path, name: str) -> None:
    uploads = {f"Jane Doe_1_assignsubmission_file_/{FIRST}.py": ONE, f"{name}_2_assignsubmission_file_/{FIRST}.py": ""}

    assert len(gather(uploads, roster="name\nJane Doe\nEve Evil\n").unmatched) == 2


def test_without_a_roster_one_is_written_that_later_downloads_go_by(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_102_2_part1.py": ONE, "roe_104_3_part1.py": ONE})
    told = gather({"doejane_102_3_part2.py": OF_SECOND, "renamed_104_4_part2.py": OF_SECOND, "eve_105_5_a.py": ONE})

    people = read_people(class_ / "roster.csv").all
    assert {(person.id, person.folder) for person in people} == {
        ("101", "doejane-101"),
        ("102", "doejane-102"),
        ("104", "roe"),
        ("105", "eve"),
    }
    assert [person.folder for person in told.newcomers] == ["eve"]
    assert [len(history(class_, student)) for student in ("doejane-101", "doejane-102", "roe")] == [1, 2, 2]


def test_two_people_of_one_name_in_moodle_are_two(gather: Gather, class_: Path) -> None:
    files = moodle("Jane Doe", 7) | moodle("Jane Doe", 8)
    gather(files)

    assert len(gather(files).unchanged) == 2
    assert students(class_) == ["Jane Doe-7", "Jane Doe-8"]


ANH_S = "name,login\nAnh Nguyen,an1\nAnh Nguyen,an2\nAda Adams,ada\n"


@pytest.mark.parametrize("names", [["Anh Nguyen"], ["Nguyen Anh", "Anh Nguyen"], ["Ada Adams", "Adams, Ada"]])
def test_nobody_is_added_under_a_name_that_is_in_the_roster(gather: Gather, class_: Path, names: list[str]) -> None:
    gather(moodle("Eve Evil", 1), roster=ANH_S)
    uploads = [moodle(name, number) for number, name in enumerate([*names, "New Comer"], 7)]

    told = gather({path: text for files in uploads for path, text in files.items()})

    assert ({one.name for one in told.unmatched}, told.added) == ({*names}, ["New Comer"])


@pytest.mark.parametrize("number", [7, 8])
def test_two_of_one_name_are_told_apart_by_what_an_unmatched_row_says(
    gather: Gather, class_: Path, number: int
) -> None:
    gather(moodle("Ada Adams", 1), roster=ANH_S)
    (unmatched,) = gather(moodle("Anh Nguyen", number)).unmatched
    roster = (class_ / "roster.csv").read_text(encoding="utf-8")
    said = roster.replace("an2,,,", f"an2,,,{unmatched.sis_id}")
    (class_ / "roster.csv").write_text(said, encoding="utf-8")

    assert gather(moodle("Anh Nguyen", number)).added == ["an2"]
    assert gather(moodle("Anh Nguyen", number), roster=said).unchanged == ["an2"]


WORKSHEET = "Identifier,Full name,Email address,Grade\n"
PARTICIPANTS = "First name,Last name,Email address\nAnh,Nguyen,an1@uni.edu\nJane,Doe,jane@uni.edu\n"


def test_moodle_s_grading_worksheet_is_a_roster_that_tells_two_of_one_name_apart(gather: Gather, class_: Path) -> None:
    for first in (7, 17):  # the numbers are of one assignment
        rows = (f"Participant {first + number},Anh Nguyen,an{number}@uni.edu,\n" for number in (0, 1))
        gather(moodle("Anh Nguyen", first + 1, f"{ONE}# {first}"), roster=WORKSHEET + "".join(rows))

    assert students(class_) == ["an1@uni.edu"]
    assert len(history(class_, "an1@uni.edu")) == 2


def test_moodle_s_list_of_participants_is_a_roster(gather: Gather, class_: Path) -> None:
    assert gather(moodle("Jane Doe", 7), roster=PARTICIPANTS).added == ["jane@uni.edu"]


def test_anonymous_students_of_moodle_are_added_one_by_one(gather: Gather, class_: Path) -> None:
    gather(moodle("Participant", 7))
    gather(moodle("Participant", 7) | moodle("Participant", 8))

    assert students(class_) == ["Participant 7", "Participant 8"]


def test_in_moodle_the_number_is_of_one_assignment_and_the_name_counts(gather: Gather, class_: Path) -> None:
    gather(moodle("Ada Adams", 101) | moodle("Mallory M", 102))
    gather(moodle("Ada Adams", 202, BAD))

    assert (texts(class_, "Ada Adams"), texts(class_, "Mallory M")) == ({FIRST: BAD}, {FIRST: ONE})


def test_who_takes_the_name_of_another_in_canvas_takes_nothing_of_theirs(gather: Gather, class_: Path) -> None:
    gather({"adamsada_11_900_part1.py": ONE}, roster=ADA_S)
    other = gather({"adamsada_13_950_part1.py": BAD}, roster=ADA_S)
    own = gather({"newname_11_960_part2.py": OF_SECOND}, roster=ADA_S)

    assert (own.added, list(other.unmatched)) == (["ada"], [Person("adamsada", "13")])
    assert texts(class_, "ada")[FIRST] == ONE


def test_who_is_added_to_the_roster_later_keeps_the_folder_with_the_work(gather: Gather, class_: Path) -> None:
    gather({"roe_LATE_102_3_part1.py": ONE})
    later = "Student,ID,SIS Login ID\nRoe,102,u102\nPoe,103,poe\n"
    gather({"roe_102_8_part2.py": OF_SECOND, "poe_103_9_part1.py": ONE}, roster=later)

    assert students(class_) == ["poe", "roe"]
    assert len(history(class_, "roe")) == 2
    people = read_people(class_ / "roster.csv")
    assert people.of("roe") == people.of("u102")


@pytest.mark.parametrize(
    "name",
    [
        *("..", ".hidden", "README", "a\\b", "=cmd|calc", "x" * 200),
        *("handed_in.csv", "Roster.csv", "nbgrader_config.py", "marks", "gradebook.db"),
    ],
)
def test_no_name_leads_out_or_is_lost_or_is_taken_for_another_file(gather: Gather, class_: Path, name: str) -> None:
    for text in (ONE, BAD):
        told = gather(moodle(name, 7, text) | moodle("Jane Doe", 8))

    (own,) = (entry for entry in students(class_) if entry != "Jane Doe")
    assert (told.added, told.unchanged) == ([own], ["Jane Doe"])
    assert not (class_ / "marks").exists()

"""A roster, and whom a name means that another program writes in its own way."""

from pathlib import Path

import pytest

from autograder.classroom.people import (
    BadRoster,
    People,
    Person,
    entry_finder,
    read_people,
    refuse_two_of_one,
)

ADA = Person("Ada Lovelace", "101", "ada", "ada.lovelace@uni.edu")
ZOE = Person("Zo\u00eb Test", "102", "zoe1@uni.edu", folder="Zo\u00eb")


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    "name",
    ["ada", "ADA", "ada@uni.edu", "ADA@Elsewhere.org", "101", "ada.lovelace", "Ada.Lovelace@uni.edu", "ada lovelace"],
)
def test_a_name_is_found_without_regard_to_case_and_domain(name: str) -> None:
    assert People((ADA, ZOE)).of(name) == ADA


def test_a_name_of_two_people_means_neither() -> None:
    twins = People((Person("Kim Lee", "1"), Person("Kim Lee", "2")))

    assert (twins.of("Kim Lee"), twins.of("2")) == (None, Person("Kim Lee", "2"))


@pytest.mark.parametrize(("of", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-8")])
def test_a_roster_is_read_as_spreadsheets_write_it(tmp_path: Path, of: str, encoding: str) -> None:
    rows = (("Group", "Login", "Name"), ("3", " ada ", "Zo\u00eb"), ("", "", ""))
    text = "\r\n".join(of.join(row) for row in rows)

    assert read_people(written(tmp_path, text, encoding)).all == (Person("Zo\u00eb", login="ada"),)


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("", "utf-8", "names nobody: a first row with some of name, id"),
        ("course\nada\n", "utf-8", "names nobody"),
        ("login\nada\nADA\n", "utf-8", "two rows have the login `ada`"),
        ("name\nZo\u00eb\n", "latin-1", "is not UTF-8"),
    ],
)
def test_what_is_no_roster_is_refused(tmp_path: Path, text: str, encoding: str, told: str) -> None:
    with pytest.raises(BadRoster, match=told):
        read_people(written(tmp_path, text, encoding))


def test_two_entries_of_one_person_are_refused() -> None:
    with pytest.raises(BadRoster, match=r"the entries `ada` and `ADA@uni\.edu` are both Ada Lovelace's"):
        refuse_two_of_one(People((ADA,)), ["ada", "ADA@uni.edu"], "the entries")


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (301)
    Points Possible,,,,,25
"Adams, Ada",5000,M77,ada@uni.example,A,
"Student, Test",1,,,A,
"""


def test_a_gradebook_of_canvas_is_a_roster(tmp_path: Path) -> None:
    path = tmp_path / "canvas.csv"
    path.write_text(CANVAS, encoding="utf-8-sig")

    people = read_people(path)

    assert people.all == (Person("Adams, Ada", "5000", "ada@uni.example", sis_id="M77"),)
    assert entry_finder(people, ["adamsada", "ada@uni.example"])("m77") == "ada@uni.example"


MALLORY = Person("ada", "102", "mal@uni.edu")


@pytest.mark.parametrize("ada", [Person("Adams, Ada", "101", "ada@uni.edu"), Person("Adams, Ada", email="ada@uni.edu")])
def test_a_login_means_its_owner_though_somebody_is_named_like_it(ada: Person) -> None:
    assert People((ada, MALLORY)).of("ada") == ada


def test_nbgraders_list_of_students_is_a_roster(tmp_path: Path) -> None:
    text = "id,first_name,last_name,email\nada,Ada,Lovelace,ada@uni.example\nbob,,,\n"

    assert read_people(written(tmp_path, text)).all == (
        Person("Lovelace, Ada", "ada", email="ada@uni.example"),
        Person(id="bob"),
    )

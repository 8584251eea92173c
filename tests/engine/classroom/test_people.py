"""A roster, and whom a name means that another program writes in its own way."""

from pathlib import Path

import pytest

from autograder.classroom.people import (
    BadRoster,
    People,
    Person,
    entry_finder,
    read_people,
    refuse_contradiction,
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


@pytest.mark.parametrize("name", ["zoe1", "Zoe\u0308", "ZOE\u0308", "ZO\u00cb TEST"])
def test_a_name_is_found_in_either_form_of_unicode(name: str) -> None:
    assert People((ADA, ZOE)).of(name) == ZOE


def test_a_name_of_two_people_means_neither() -> None:
    twins = People((Person("Kim Lee", "1"), Person("Kim Lee", "2")))

    assert (twins.of("Kim Lee"), twins.of("2")) == (None, Person("Kim Lee", "2"))


def test_two_of_one_name_at_two_domains_are_told_apart_by_the_whole() -> None:
    one, other = Person(email="ada@a.edu"), Person(email="ada@b.edu")
    people = People((one, other))

    assert (people.of("ada@a.edu"), people.of("ADA@b.edu"), people.of("ada")) == (one, other, None)


def test_who_handed_in_nothing_and_who_is_no_one_are_known() -> None:
    people = People((ADA, ZOE))

    assert (people.absent(["ADA", "eve"]), people.strangers(["ADA", "eve"])) == ([ZOE], ["eve"])


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
        ("login\nada\nADA\n", "utf-8", "two rows have the login `ADA`"),
        ("name\nZo\u00eb\n", "latin-1", "is not UTF-8"),
    ],
)
def test_what_is_no_roster_is_refused(tmp_path: Path, text: str, encoding: str, told: str) -> None:
    with pytest.raises(BadRoster, match=told):
        read_people(written(tmp_path, text, encoding))


def test_a_name_in_a_roster_orders_a_terminal_about_nothing(tmp_path: Path) -> None:
    text = 'name,login\n"Eve \x1b[2J\x1b]0;owned\x07\u202e",eve\n"Ada\nLovelace",ada\n'

    assert read_people(written(tmp_path, text)).all == (
        Person("Eve  [2J ]0;owned", login="eve"),
        Person("Ada Lovelace", login="ada"),
    )


def test_a_roster_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match="cannot be read: No such file"):
        read_people(tmp_path / "roster.csv")


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


def test_the_words_of_a_name_are_found_in_any_order_unless_they_are_several_persons() -> None:
    ada, other, twin = Person("Adams, Ada", "1"), Person("Huang, Ben", "2"), Person("Ben Huang", "3")
    people = People((ada, other, twin))

    assert people.of("Ada Adams") == ada
    assert people.of("Huang Ben") is None


def test_an_entry_is_found_by_any_name_of_its_person_and_as_it_is_written_first() -> None:
    people = People((Person("Adams, Ada", "5000", "u1", folder="adamsada"), Person("Huang, Ben", "7", "u2")))
    entry_of = entry_finder(people, ["adamsada", "u2", "ADAMSADA too"])

    assert entry_of("Ada Adams") == entry_of("u1") == entry_of("5000") == "adamsada"
    assert entry_of("Ben Huang") == "u2"
    assert entry_of("ADAMSADA too") == "ADAMSADA too"
    assert entry_of("nobody") is None


def test_nbgraders_list_of_students_is_a_roster(tmp_path: Path) -> None:
    text = "id,first_name,last_name,email\nada,Ada,Lovelace,ada@uni.example\nbob,,,\n"

    assert read_people(written(tmp_path, text)).all == (
        Person("Lovelace, Ada", "ada", email="ada@uni.example"),
        Person(id="bob"),
    )


MALLORY = Person("ada", "102", "mal@uni.edu")


@pytest.mark.parametrize("ada", [Person("Adams, Ada", "101", "ada@uni.edu"), Person("Adams, Ada", email="ada@uni.edu")])
def test_a_login_means_its_owner_though_somebody_is_named_like_it(ada: Person) -> None:
    assert People((ada, MALLORY)).of("ada") == ada


def test_a_login_of_two_domains_is_nobodys_though_somebody_is_named_like_it() -> None:
    assert People((Person(login="ada@a.edu"), Person(login="ada@b.edu"), MALLORY)).of("ada") is None


def test_a_name_with_an_at_is_no_login() -> None:
    assert People((Person("ada@", "102"), Person("Adams, Ada", email="a@uni.edu"))).of("ada@elsewhere.org") is None


KEPT = People((Person("bsmith", "103", folder="bsmith"), Person("smithbob", "102", folder="smithbob")))
BOB = Person("Smith, Bob", "102", "bsmith")


def test_work_that_an_id_tells_to_be_another_s_is_nobodys_by_its_name_alone() -> None:
    with pytest.raises(
        BadRoster, match=r"id 103, bsmith \(mal\), but by that name the roster knows Smith, Bob \(bsmith\)"
    ):
        refuse_contradiction(People((BOB, Person("bsmith", "103", "mal"))), KEPT)


@pytest.mark.parametrize(
    "other",
    [Person("M", "103", "mal", folder="bsmith"), Person("M", "999", "mal"), Person("M", login="mal")],
    ids=["whose the roster says", "an id that the roster lacks", "no id"],
)
def test_a_roster_that_says_nothing_else_is_no_contradiction(other: Person) -> None:
    refuse_contradiction(People((BOB, other)), KEPT)


def test_a_roster_of_more_rows_than_a_table_has_is_refused_though_they_are_blank(tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match="more than 2,000 columns, 65,000 rows or 4,000,000 cells"):
        read_people(written(tmp_path, "name\nAda\n" + "\n" * 65_000))

"""A roster, and whom a name means that another program writes in its own way."""

from pathlib import Path

import pytest

from autograder.classroom.people import BadRoster, People, Person, read_people, refuse_two_of_one

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
        ("student\nada\n", "utf-8", "names nobody"),
        ("login\nada\nADA\n", "utf-8", "two rows have the login `ADA`"),
        ("name\nZo\u00eb\n", "latin-1", "is not UTF-8"),
    ],
)
def test_what_is_no_roster_is_refused(tmp_path: Path, text: str, encoding: str, told: str) -> None:
    with pytest.raises(BadRoster, match=told):
        read_people(written(tmp_path, text, encoding))


def test_a_roster_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match="cannot be read: No such file"):
        read_people(tmp_path / "roster.csv")


def test_two_entries_of_one_person_are_refused() -> None:
    with pytest.raises(BadRoster, match=r"the entries `ada` and `ADA@uni\.edu` are both Ada Lovelace's"):
        refuse_two_of_one(People((ADA,)), ["ada", "ADA@uni.edu"], "the entries")

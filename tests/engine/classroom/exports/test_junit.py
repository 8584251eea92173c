"""JUnit's XML."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import etree

from autograder.classroom.exports.junit import to_xml
from autograder.classroom.final import FinalPoints

BE = 'Bé "the" O\'Neil, <script>alert(1)</script>'


def suite(final: FinalPoints, student: str, part: str) -> ElementTree.Element:
    suites = ElementTree.fromstring(to_xml(final))
    return next(one for one in suites if one.get("name") == f"{student}.{part}")


def test_the_document_is_the_golden_one(final: FinalPoints, golden: Callable[[str], bytes]) -> None:
    assert to_xml(final) == golden("junit.xml")


def test_the_document_fits_the_documented_format(final: FinalPoints, schemas: Path) -> None:
    etree.XMLSchema(file=str(schemas / "junit.xsd")).assertValid(etree.fromstring(to_xml(final)))


def test_each_student_and_part_is_a_suite(final: FinalPoints) -> None:
    names = [one.get("name") for one in ElementTree.fromstring(to_xml(final))]

    assert names == [f"{student}.{part.name}" for student in final.students for part in final.parts]


@pytest.mark.parametrize(
    ("student", "part", "counted"),
    [
        ("ada", "part1_simplified", ("2", "1", "0", "0")),
        (BE, "part1_simplified", ("2", "1", "0", "1")),
        (BE, "part2_trainable", ("2", "0", "0", "2")),
        ("=1+1", "part1_simplified", ("2", "0", "2", "0")),
    ],
)
def test_a_suite_counts_its_outcomes(final: FinalPoints, student: str, part: str, counted: tuple[str, ...]) -> None:
    found = suite(final, student, part)

    assert tuple(found.get(name) for name in ("tests", "failures", "errors", "skipped")) == counted


def test_a_wrong_step_is_a_failure_with_message_and_mistake(final: FinalPoints) -> None:
    failure = suite(final, "ada", "part1_simplified").find("testcase[@name='softmax']/failure")

    assert failure is not None
    assert failure.get("type") == "wrong_values"
    assert str(failure.get("message")).startswith("wrong values: case rows: 20 of 20 numbers differ, most at")
    assert "Your columns add up to 1" in str(failure.text)


def test_a_part_that_could_not_be_loaded_is_an_error_of_each_step(final: FinalPoints) -> None:
    errors = suite(final, "=1+1", "part1_simplified").findall("testcase/error")

    assert [error.get("message") for error in errors] == [
        "SyntaxError in =1+1/part1_simplified.py, line 1: invalid syntax"
    ] * 2


def test_a_part_of_which_nobody_has_decided_has_no_score(final: FinalPoints) -> None:
    names = [one.get("name") for one in suite(final, "=1+1", "part1_simplified").iter("property")]

    assert names == ["max_score", "seconds"]


def test_a_character_that_xml_cannot_hold_is_replaced(final: FinalPoints) -> None:
    ada = replace(final.students["ada"], name="a\x1bd\ud800a")

    document = to_xml(replace(final, students={ada.name: ada}))

    assert "a\ufffdd\ufffda.part1_simplified" in document.decode()

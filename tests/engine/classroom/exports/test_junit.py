"""JUnit's XML."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import etree

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.junit import to_xml

BE = 'Bé "the" O\'Neil, <script>alert(1)</script>'


def suite(class_marks: ClassMarks, student: str, part: str) -> ElementTree.Element:
    suites = ElementTree.fromstring(to_xml(class_marks))
    return next(one for one in suites if one.get("name") == f"{student}.{part}")


def test_the_document_is_the_golden_one(class_marks: ClassMarks, golden: Callable[[str], bytes]) -> None:
    assert to_xml(class_marks) == golden("junit.xml")


def test_the_document_fits_the_documented_format(class_marks: ClassMarks, schemas: Path) -> None:
    etree.XMLSchema(file=str(schemas / "junit.xsd")).assertValid(etree.fromstring(to_xml(class_marks)))


def test_each_student_and_part_is_a_suite(class_marks: ClassMarks) -> None:
    names = [one.get("name") for one in ElementTree.fromstring(to_xml(class_marks))]

    assert names == [f"{student}.{part.name}" for student in class_marks.students for part in class_marks.parts]


@pytest.mark.parametrize(
    ("student", "part", "counted"),
    [
        ("ada", "part1_simplified", ("2", "1", "0", "0")),
        (BE, "part1_simplified", ("2", "1", "0", "1")),
        (BE, "part2_trainable", ("2", "0", "0", "2")),
        ("=1+1", "part1_simplified", ("2", "0", "2", "0")),
    ],
)
def test_a_suite_counts_its_outcomes(
    class_marks: ClassMarks, student: str, part: str, counted: tuple[str, ...]
) -> None:
    found = suite(class_marks, student, part)

    assert tuple(found.get(name) for name in ("tests", "failures", "errors", "skipped")) == counted


def test_a_wrong_step_is_a_failure_with_message_and_mistake(class_marks: ClassMarks) -> None:
    failure = suite(class_marks, "ada", "part1_simplified").find("testcase[@name='softmax']/failure")

    assert failure is not None
    assert failure.get("type") == "wrong_values"
    assert str(failure.get("message")).startswith("wrong values: case rows: 20 of 20 numbers differ, most at")
    assert "Your columns add up to 1" in str(failure.text)


def test_a_part_that_could_not_be_loaded_is_an_error_of_each_step(class_marks: ClassMarks) -> None:
    errors = suite(class_marks, "=1+1", "part1_simplified").findall("testcase/error")

    assert [error.get("message") for error in errors] == [
        "SyntaxError in =1+1/part1_simplified.py, line 1: invalid syntax"
    ] * 2


def test_a_character_that_xml_cannot_hold_is_replaced(class_marks: ClassMarks) -> None:
    ada = replace(class_marks.students["ada"], parts=())

    document = to_xml(ClassMarks(class_marks.parts, {"a\x1bd\ud800a": ada}))

    assert "a\ufffdd\ufffda.part1_simplified" in document.decode()

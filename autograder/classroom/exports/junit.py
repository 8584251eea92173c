"""JUnit's XML, as Jenkins, GitLab and others show it: a suite for each student and part, a case a step.

A step is passed, a failure, skipped where it was not attempted, or an error where its part could not be loaded. How long a step
took is not known: the seconds of a submission stand among the properties of its suites.
"""

import re
from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.exports.feedback import NOT_HANDED_IN, feedback, headline
from autograder.classroom.exports.scores import shown
from autograder.course.verdicts import Verdict
from autograder.exam.syllabus import SyllabusPart
from autograder.marking.marks import Marks, StepMarks

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can hold, not even escaped."""

COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The outcomes of a case and the attributes in which a suite counts them."""


def to_xml(class_marks: ClassMarks) -> bytes:
    """Return the document for a class."""
    seconds = sum(marks.seconds for marks in class_marks.students.values())
    root = Element("testsuites", name="attn", time=f"{seconds:.3f}")
    for student, marks in class_marks.students.items():
        for part in class_marks.parts:
            root.append(_suite(student, marks, part))
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.attrib[attribute]) for suite in root)))
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(student: str, marks: Marks, part: SyllabusPart) -> Element:
    name = f"{student}.{part.name}"
    found = marks.part(part.name)
    suite = Element("testsuite", name=_text(name), timestamp=marks.graded_at.removesuffix("Z"))
    properties = SubElement(suite, "properties")
    score = found.score if found else 0.0
    for key, value in {"score": shown(score), "max_score": shown(part.points), "seconds": marks.seconds}.items():
        SubElement(properties, "property", name=key, value=str(value))
    cases = [_case(name, step, found.error) for step in found.steps] if found else _not_handed_in(name, part)
    suite.extend(cases)
    outcomes = Counter(outcome.tag for case in cases for outcome in case)
    suite.set("tests", str(len(cases)))
    for outcome, attribute in COUNTED.items():
        suite.set(attribute, str(outcomes[outcome]))
    return suite


def _not_handed_in(suite: str, part: SyllabusPart) -> list[Element]:
    cases = [Element("testcase", classname=_text(suite), name=step.name) for step in part.steps]
    for case in cases:
        SubElement(case, "skipped", message=NOT_HANDED_IN)
    return cases


def _case(suite: str, step: StepMarks, part_error: str | None) -> Element:
    case = Element("testcase", classname=_text(suite), name=step.step)
    if part_error:
        error = SubElement(case, "error", type=step.verdict, message=_text(part_error.splitlines()[0]))
        error.text = _text(part_error)
    elif step.verdict == Verdict.NOT_ATTEMPTED:
        SubElement(case, "skipped", message="not attempted")
    elif not step.passed:
        failure = SubElement(case, "failure", type=step.verdict, message=_text(headline(step)))
        failure.text = _text(feedback(step))
    return case


def _text(text: str) -> str:
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

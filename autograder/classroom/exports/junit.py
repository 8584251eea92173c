"""JUnit's XML, as Jenkins, GitLab and others show it: a suite for each student and part, a case a step.

A step is passed, a failure, skipped where it was not attempted, or an error where its part could not be loaded. How long a step
took is not known: the seconds of a submission stand among the properties of its suites. So do the points of the part, unless nobody
has decided yet what it is worth, and what was decided or taken off.
"""

import re
from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from autograder.classroom.exports.feedback import feedback, headline, said_of
from autograder.classroom.exports.scores import shown
from autograder.classroom.final import FinalPart, FinalPoints, FinalStudent
from autograder.course.verdicts import Verdict
from autograder.grading.results import StepMarks

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can hold, not even escaped."""

NEVER = "1970-01-01T00:00:00"
"""The time of a suite of which nothing was handed in: the format asks for one."""

COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The outcomes of a case and the attributes in which a suite counts them."""


def to_xml(final: FinalPoints) -> bytes:
    """Return the document for a class."""
    seconds = sum(student.marks.seconds for student in final.students.values())
    root = Element("testsuites", name="attn", time=f"{seconds:.3f}")
    for student in final.students.values():
        for part in student.parts:
            root.append(_suite(student, part))
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.attrib[attribute]) for suite in root)))
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(student: FinalStudent, part: FinalPart) -> Element:
    name = f"{student.name}.{part.part.name}"
    marks = student.marks
    suite = Element("testsuite", name=_text(name), timestamp=marks.graded_at.removesuffix("Z") or NEVER)
    points = {} if part.points is None else {"score": shown(part.points)}
    about = points | {"max_score": shown(part.max_points), "seconds": str(marks.seconds)}
    properties = SubElement(suite, "properties")
    for key, value in [*about.items(), *(("adjusted", one) for one in part.done)]:
        SubElement(properties, "property", name=key, value=_text(value))
    cases = [_case(name, step.marks, part.error) for step in part.steps if step.marks] or _skipped(name, part)
    suite.extend(cases)
    outcomes = Counter(outcome.tag for case in cases for outcome in case)
    suite.set("tests", str(len(cases)))
    for outcome, attribute in COUNTED.items():
        suite.set(attribute, str(outcomes[outcome]))
    return suite


def _skipped(suite: str, part: FinalPart) -> list[Element]:
    """Return the cases of a part of which no step was marked."""
    cases = [Element("testcase", classname=_text(suite), name=step.name) for step in part.part.steps]
    for case in cases:
        outcome = SubElement(case, "error" if part.undecided else "skipped", message=_text(said_of(part)))
        if part.undecided:
            outcome.set("type", Verdict.MISSING)
    return cases


def _case(suite: str, step: StepMarks, part_error: str | None) -> Element:
    case = Element("testcase", classname=_text(suite), name=step.step)
    if part_error:
        error = SubElement(case, "error", type=step.verdict, message=_text(part_error.partition("\n")[0]))
        error.text = _text(part_error)
    elif step.verdict == Verdict.NOT_ATTEMPTED:
        SubElement(case, "skipped", message="not attempted")
    elif not step.passed:
        failure = SubElement(case, "failure", type=step.verdict, message=_text(headline(step)))
        failure.text = _text(feedback(step))
    return case


def _text(text: str) -> str:
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

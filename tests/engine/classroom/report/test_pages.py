"""The pages as files: one for the class, one a student beside it, and no text of a student's becomes markup."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_marks import class_of, grades_of, handed_in, step, student

from autograder.classroom.grades import Grades
from autograder.classroom.report.pages import folder_for, write_report
from autograder.exam.syllabus import VALUES, Syllabus, SyllabusPart
from autograder.grading.results import Check, CriterionMarks

EVIL = """</pre></td></style><script>alert(1)</script>'"><img src=x onerror=alert(1)> {{ 7*7 }} `</code><b>`\n../"""


class Elements(HTMLParser):
    """The names of all elements of a page, and of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "new" / "report.html"


def evil_class(syllabus: Syllabus, part: SyllabusPart) -> Grades:
    """A class in which every text that comes from students is hostile."""
    failed = Check(EVIL, "runs", False, EVIL)
    bad = step("raised", says=EVIL, checks=(failed,), printed=EVIL, traceback=EVIL, hint=EVIL)
    eve = student([handed_in(part, error=EVIL)])
    return grades_of(syllabus, **{EVIL: student([handed_in(part, softmax=bad)], EVIL), "eve": eve})


def pages(report: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in (report, *sorted(folder_for(report).iterdir()))]


def test_a_report_and_a_page_for_each_student_are_written(
    syllabus: Syllabus, first: SyllabusPart, report: Path
) -> None:
    write_report(class_of(syllabus, ada=[handed_in(first)], bob=[]), report)

    assert sorted(str(path.relative_to(report.parent)) for path in report.parent.rglob("*.html")) == [
        "report.html",
        "report_students/ada.html",
        "report_students/bob.html",
    ]


def test_a_students_page_holds_nothing_of_others(syllabus: Syllabus, first: SyllabusPart, report: Path) -> None:
    bob = handed_in(first, softmax=step("raised", says="a diagnosis of bob's", printed="bob's text"))
    write_report(class_of(syllabus, ada=[handed_in(first)], bob=[bob]), report)

    assert "bob" not in (folder_for(report) / "ada.html").read_text(encoding="utf-8")


def test_no_text_of_a_students_becomes_markup_or_leads_out_of_the_folder(
    syllabus: Syllabus, first: SyllabusPart, report: Path, tmp_path: Path
) -> None:
    write_report(evil_class(syllabus, first), report)

    assert len(pages(report)) == len([path for path in tmp_path.rglob("*") if path.is_file()]) == 3
    for page in pages(report):
        found = Elements(page)
        assert not found.names & {"script", "img", "b"}
        assert not {name for name in found.attributes if name.startswith("on")}


def test_what_a_student_wrote_is_shown_as_it_was_written(syllabus: Syllabus, first: SyllabusPart, report: Path) -> None:
    write_report(evil_class(syllabus, first), report)

    shown = "&lt;script&gt;alert(1)&lt;/script&gt;&#39;&#34;&gt;&lt;img src=x onerror=alert(1)&gt; {{ 7*7 }}"
    assert all(shown in page for page in pages(report))


def test_a_student_sees_the_criteria_that_are_met_and_missed(
    syllabus: Syllabus, first: SyllabusPart, report: Path
) -> None:
    criteria = CriterionMarks(VALUES, 6.0, 6.0), CriterionMarks("batch", 0.0, 2.0)
    write_report(class_of(syllabus, ada=[handed_in(first, softmax=step("raised", 6.0, criteria=criteria))]), report)

    assert "✓ values, ✗ batch" in (folder_for(report) / "ada.html").read_text(encoding="utf-8")


def test_a_page_has_each_part_handed_in_or_not_and_a_headline_in_place_of_the_verdict(
    syllabus: Syllabus, first: SyllabusPart, report: Path
) -> None:
    failed = Check("journey", "values", False, "no", headline="nothing returned")
    write_report(class_of(syllabus, ada=[handed_in(first, softmax=step("wrong_values", checks=(failed,)))]), report)

    page = (folder_for(report) / "ada.html").read_text(encoding="utf-8")
    assert "nothing returned" in page
    assert page.count("Not handed in.") == len(syllabus.parts) - 1

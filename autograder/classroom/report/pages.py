"""Write the report and the students' pages: each is one file of HTML that needs no other."""

from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from autograder.atomic_write import atomic_write
from autograder.classroom.grades import Grades
from autograder.classroom.report.class_overview import file_name_of, overview_of
from autograder.classroom.report.states import state_of
from autograder.course.course import RUNGS
from autograder.grading.points import told
from autograder.render import html

UNDECIDED = "–"
"""In place of points that there are none of, or not yet."""


def folder_for(report: Path) -> Path:
    """Return the folder beside a report in which the students' own pages lie."""
    return report.with_name(f"{report.stem}_students")


def write_report(grades: Grades, report: Path, rungs: str = RUNGS[-1]) -> None:
    """Write the report on a class, and a page for each student into the folder beside it. Raises OSError.

    rungs: how far students are told the cause of a wrong step.
    """
    folder = folder_for(report)
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in _pages(grades, rungs):
        atomic_write(folder / name, page.encode())
    atomic_write(report, report_on(grades, folder.name).encode())


def report_on(grades: Grades, folder: str) -> str:
    """Return the page of the report. folder: the name of the one in which the students' own pages lie."""
    return templates().get_template("report.html").render(overview=overview_of(grades, folder))


def _pages(grades: Grades, rungs: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each student's page."""
    template = templates().get_template("feedback.html")
    for name, student in grades.students.items():
        yield file_name_of(name), template.render(student=student, rungs=rungs)


def templates() -> Environment:
    """Return the environment of the templates of pages on a class."""
    found = Environment(
        loader=PackageLoader("autograder.classroom.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["points"] = lambda number: UNDECIDED if number is None else f"{number:g}"
    found.filters["percent"] = _percent
    found.filters["state"] = state_of
    found.filters["told"] = told
    found.filters["coded"] = lambda text: Markup(html.coded(text))
    found.filters["explained"] = lambda step, rungs: Markup(html.draw_failure(step, rungs))
    found.globals["picture_style"] = Markup(html.STYLE)
    return found


def _percent(part: float, whole: float) -> str:
    """Write what share of a whole a part is, in whole per cents."""
    return f"{100 * part / whole:.0f}\u202f%"

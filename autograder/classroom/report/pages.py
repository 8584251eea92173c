"""Write the report and the students' pages, each as one file of HTML."""

from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from autograder.atomic_write import atomic_write
from autograder.classroom.grades import Grades
from autograder.classroom.report.class_overview import scores_of, state_of, steps_of
from autograder.classroom.results import as_file_name
from autograder.course.course import RUNGS
from autograder.grading.points import told
from autograder.render import html


def folder_for(report: Path) -> Path:
    """Return the folder of the students' pages, beside the report."""
    return report.with_name(f"{report.stem}_students")


def write_report(grades: Grades, report: Path, rungs: str = RUNGS[-1]) -> None:
    """Write the report on a class, and each student's page into `folder_for(report)`. Raises OSError.

    rungs: the last level of explanations that students see (one of RUNGS).
    """
    folder, made = folder_for(report), templates()
    folder.mkdir(parents=True, exist_ok=True)
    for name, student in grades.students.items():
        page = made.get_template("feedback.html").render(student=student, rungs=rungs)
        atomic_write(folder / f"{as_file_name(name)}.html", page.encode())
    page = made.get_template("report.html").render(
        grades=grades,
        marked=max(student.marks.graded_at for student in grades.students.values())[:10],
        scores=scores_of(grades),
        steps=steps_of(grades),
        hrefs={name: quote(f"{folder.name}/{as_file_name(name)}.html") for name in grades.students},
        looks=grades.looks,
        adjusted={name: student.done for name, student in grades.students.items() if student.done},
    )
    atomic_write(report, page.encode())


def templates() -> Environment:
    """Return the Jinja environment that loads the templates of this package."""
    found = Environment(
        loader=PackageLoader("autograder.classroom.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "points": lambda number: "–" if number is None else f"{number:g}",  # none yet, or excused
        "percent": lambda part, whole: f"{100 * part / whole:.0f}\u202f%",
        "state": state_of,
        "told": told,
        "coded": lambda text: Markup(html.coded(text)),
        "explained": lambda step, rungs: Markup(html.draw_failure(step, rungs)),
    }
    found.globals["picture_style"] = Markup(html.STYLE)
    return found

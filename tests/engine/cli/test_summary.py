"""What an instructor sees while a class is marked, in a terminal, and what there is to look at in the end."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from screen_text import SEQUENCE

from autograder.classroom.class_marks import ClassMarks
from autograder.classroom.grades import grade
from autograder.cli import summary
from autograder.course.counting import Counting
from autograder.grading.results import Marks
from autograder.submission.model import Look, Urgency


def test_a_terminal_shows_a_bar_with_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=110)
    monkeypatch.setattr(summary, "make_console", lambda stderr: console)

    with summary.Meter(13) as meter:
        for done in range(1, 13):
            meter.update(done)

    screen = SEQUENCE.sub("", console.file.getvalue())
    assert re.search(r"marking \S+ +12/13 +\d+\.\d/s +\d:\d\d:\d\d", screen)
    assert "marked, about" not in screen


def looked_at(*marks: Marks) -> list[str]:
    """What is printed below the table of verdicts."""
    console = Console(file=io.StringIO(), width=100)
    grades = grade(ClassMarks((), {one.submission: one for one in marks}), Counting())
    summary.Summary(grades, list(grades.students)).tell(console, Path("out/summary.csv"))
    return console.file.getvalue().splitlines()[1:]


def row(student: str, *looks: Look) -> Marks:
    return Marks(student, "", "", "", 0.0, "none", (), looks=looks)


def test_what_there_is_to_look_at_stands_under_its_urgency_the_most_urgent_first() -> None:
    told, check, act = (Look(urgency, f"so it is {urgency}") for urgency in reversed(Urgency))

    assert looked_at(row("bob", act, told), row("ada", check), row("eve")) == [
        *("", "Must act: 1", "bob  so it is must act"),
        *("", "Check: 1", "ada  so it is check"),
        *("", "Told: 1", "bob  so it is told"),
    ]


@pytest.mark.parametrize(
    ("urgency", "most"), [("must act", summary.MOST_LOOKS), ("check", summary.MOST_LOOKS), ("told", summary.MOST_TOLD)]
)
def test_of_many_the_first_are_listed_and_it_is_said_where_the_others_are(urgency: str, most: int) -> None:
    lines = looked_at(*(row(f"s{number:02}", Look(Urgency(urgency), "so")) for number in range(most + 3)))

    assert lines[1:3] == [f"{urgency.capitalize()}: {most + 3}", "s00  so"]
    assert lines[-2:] == [f"s{most - 1:02}  so", "and 3 more: they are in out/summary.csv"]


def test_what_a_student_has_written_is_shown_as_it_is() -> None:
    assert looked_at(row("[bold]", Look(Urgency.CHECK, "[red]")))[-1] == "[bold]  [red]"


def test_of_a_class_in_which_there_is_nothing_to_look_at_nothing_is_said() -> None:
    assert looked_at(row("ada")) == []

"""Drawings on a screen, in words and as HTML, beside those in drawings.txt, which `--record` writes anew."""

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from rich.console import RenderableType
from screen_text import drawn

from autograder.course.model import Words
from autograder.course.verdicts import Verdict
from autograder.exam.model import Exam
from autograder.grading.compare import GENERAL
from autograder.grading.grade import mark
from autograder.grading.pictures import View, view_of
from autograder.grading.results import Check, Diagnosis, PartMarks, Spot, StepMarks
from autograder.render.html import draw_failure as html_failure
from autograder.render.html import draw_picture
from autograder.render.pictures import Drawing
from autograder.render.results import draw_failure, draw_part, draw_step
from autograder.render.screen import ASCII, PLAIN, UNICODE
from autograder.runner.answers import Answers, PartAnswers
from autograder.submission.model import Submission
from autograder.workspace import COURSE

RECORDED = Path(__file__).with_name("drawings.txt")
WORDS = Words({"t": "token", "tq": "token", "tk": "token"})
TOKENS = ("Your", "journey", "starts", "with")
EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])
SECOND = np.array([[0.05, 0.0], [0.25, 0.4]])
MASK = np.tri(3, dtype=bool)
EVIL = '<script>alert(1)</script>"'


def picture(expected: object, yours: object, *dims: str, tokens: tuple[str, ...] = (), name: str = "") -> View:
    return view_of(name, np.asarray(expected), np.asarray(yours), dims, {"token": tokens}, WORDS)


def batch() -> View:
    expected = np.zeros((2, 3, 2, 2)) + np.arange(3)[:, None, None]
    yours = expected.copy()
    yours[1, 2] += 5
    return picture(expected, yours, "b", "h", "tq", "tk", name="weights")


def large() -> View:
    expected, yours = np.ones((20, 10)), np.ones((20, 10))
    yours[15, 9] = 3
    return picture(expected, yours, "t", "d")


PICTURES = {
    "a matrix": picture(EXPECTED, EXPECTED + SECOND, "tq", "tk", tokens=("Your", "step")),
    "a vector": picture([1.0, 2.0], [1.0, 3.0], "t"),
    "a number": picture(1.0, 3.0),
    "flags": picture(MASK, MASK | np.eye(3, k=2, dtype=bool), "tq", "tk", tokens=TOKENS[:3]),
    "a batch": batch(),
    "a part of a large one": large(),
    "no numbers": picture(EXPECTED, [[np.nan, -np.inf], [0.3, 0.4]], "tq", "num_past+num_new"),
    "whole numbers": picture([[12, 7]], [[12, 9]], "b", "t"),
    "a small difference": picture([[0.5, 100_000]], [[0.498, 300_000]], "t", "d"),
}

LINE = "    weights = torch.softmax(scores, dim=0)"
SPOT = Spot("exercises/part1.py", 42, 14, len(LINE), LINE)
CAUSE = Diagnosis(
    "cure", "dimension", "Look at line 42.", "Look at line 42.", "The wrong one.", "Use `dim=-1`.", SPOT, more=True
)
SEEN = Diagnosis("influence", "sees_later", "'Your' changes with 'starts'.", picture=PICTURES["flags"])
WRONG = Check("journey", "values", False, "4 of 4 numbers `differ`", PICTURES["a matrix"])
TRACEBACK = f"exercises/part1.py, line 42, in softmax\n{LINE}"
STEPS = {
    "passed": StepMarks("softmax", Verdict.PASSED, 2.0, 2.0),
    "not attempted": StepMarks("softmax", Verdict.NOT_ATTEMPTED, 0.0, 2.0),
    "a name that is too long": StepMarks("s" * 99, Verdict.PASSED, 2.0, 2.0),
    "wrong numbers": StepMarks("softmax", Verdict.WRONG_VALUES, 0.5, 2.0, (WRONG,), printed="a\n" * 20),
    "a cause": StepMarks("softmax", Verdict.WRONG_VALUES, 0.5, 2.0, (WRONG,), CAUSE),
    "a cause with a picture": StepMarks("softmax", Verdict.WRONG_VALUES, 0.5, 2.0, (WRONG,), SEEN),
    "an error": StepMarks(
        "softmax", Verdict.RAISED, 0.0, 2.0, (replace(WRONG, picture=None),), CAUSE, traceback=TRACEBACK
    ),
    "another shape": StepMarks("softmax", Verdict.WRONG_SHAPE, 0.0, 2.0, (Check("journey", "shape", False, "no"),)),
    "nothing returned": StepMarks(
        "softmax", Verdict.WRONG_DTYPE, 0.0, 2.0, (Check("journey", "dtype", False, "None", headline="no result"),)
    ),
}


def drawings() -> Iterator[tuple[str, str]]:
    """Yield each drawing by its name."""
    for name, view in PICTURES.items():
        yield f"{name}, on a screen", drawn(Drawing(view, UNICODE))
        yield f"{name}, in ASCII", drawn(Drawing(view, ASCII), width=40)
        yield f"{name}, in words", drawn(Drawing(view, PLAIN))
        yield f"{name}, as HTML", draw_picture(view, "softmax")
    for name, step in STEPS.items():
        yield f"{name}, on a screen", drawn(*draw_step("part1", step, UNICODE))
        yield f"{name}, below a cell", drawn(*draw_step("part1", step, UNICODE, rungs="how"), width=60)
        yield f"{name}, in words", drawn(*draw_step("part1", step, PLAIN))
        yield f"{name}, as HTML", html_failure(step)
    yield "a low window", drawn(*draw_failure(STEPS["a cause"], UNICODE, with_picture=False))
    part = PartMarks("part1", None, (*STEPS.values(),), notes=("line 3 raised",))
    yield "a part", drawn(*draw_part(part, "The title", UNICODE), width=60)
    broken = PartMarks("part1", "SyntaxError in line 3", (STEPS["passed"],))
    yield "a part that cannot be loaded", drawn(*draw_part(broken, "The title", UNICODE))


def test_drawings_are_those_that_are_recorded(request: pytest.FixtureRequest) -> None:
    now = "".join(f"=== {name}\n{text}\n\n" for name, text in drawings())
    if request.config.getoption("record"):
        RECORDED.write_text(now, encoding="utf-8")

    assert now == RECORDED.read_text(encoding="utf-8")


# Properties of all drawings


@pytest.mark.parametrize("width", [60, 80, 110])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6, -1e12])
def test_no_picture_is_wider_than_the_screen(size: float, width: int) -> None:
    numbers = np.random.default_rng(0).normal(size=(8, 8))
    names = ("extraordinary", *(f"word{number}" for number in range(7)))
    for expected, yours in ((numbers, size * numbers), (numbers, numbers[::-1])):
        text = drawn(Drawing(picture(expected, yours, "tq", "tk", tokens=names), UNICODE), width=width)
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_a_step_is_wider_than_the_screen(width: int) -> None:
    long = "a rather long message that goes on and on " * 6
    check, cause = replace(WRONG, message=long), replace(CAUSE, says=long, spot=replace(SPOT, text=LINE + " + 1" * 60))
    step = replace(STEPS["a cause"], checks=(check,), diagnosis=cause, printed="表" * 100, traceback="x" * 200)
    lines = drawn(*draw_step("part1", step, UNICODE), width=width).splitlines()
    assert max(len(line) + line.count("表") for line in lines) <= width


def marks_of(exam: Exam, path: str) -> Iterator[StepMarks]:
    """Yield the marks of each known mistake of a step, which elsewhere answers as is expected."""
    part, _, name = path.partition(".")
    for mistake in exam.key.known_wrong[path]:
        cases = exam.paper.of(part, frozenset({name}))
        answers = {case.path: mistake.signature.get(case.path, exam.key.cases[case.path].expected) for case in cases}
        given = Answers("mistake", {part: PartAnswers(part, frozenset({name}), answers=answers)})
        yield mark(exam, given, Submission("mistake", {}), GENERAL).parts[0].steps[0]


@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=pytest.mark.world if number else ()) for number, part in enumerate(COURSE.course.parts)],
)
def test_every_known_mistake_can_be_drawn(practice: Exam, part: str) -> None:
    for step in practice.syllabus.part(part).steps:
        for marks in marks_of(practice, step.path):
            for width in (40, 80):
                lines = drawn(*draw_step(part, marks, UNICODE), width=width).splitlines()
                assert max(map(len, lines)) <= width


def test_words_and_ascii_hold_no_other_sign() -> None:
    several: list[RenderableType] = [*draw_part(PartMarks("part1", None, (STEPS["a cause"],)), "", PLAIN)]
    assert not set("|#*<>") & set(drawn(*several).replace("`", ""))
    assert drawn(*several, *draw_step("part1", STEPS["a cause"], ASCII)).isascii()


def test_no_text_becomes_markup() -> None:
    names: set[str] = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: names.add(tag)  # type: ignore[method-assign]
    spot = Spot(EVIL, 1, 4, 6, f"x = {EVIL}")
    view = view_of(EVIL, EXPECTED, -EXPECTED, ("tq", EVIL), {EVIL: (EVIL, EVIL)})
    cause = Diagnosis("cure", "name", EVIL, EVIL + "1", EVIL + "2", EVIL + "3", spot)
    check = Check(EVIL, "values", False, EVIL, view)
    step = StepMarks("softmax", Verdict.WRONG_VALUES, 0.0, 4.0, (check,), cause, printed=EVIL, traceback=EVIL)
    parser.feed(html_failure(step))
    assert names > {"table", "details"}
    assert "script" not in names
    assert "[red]a[/red]" in drawn(*draw_step("part1", replace(step, printed="[red]a[/red]"), UNICODE))

"""What a box of a lecture says of a line: the reference's own lines are right in it, and a known mistake's get its sentence."""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from autograder.course.model import Mistake
from autograder.exam.reference import read
from autograder.site.figure import Edition
from autograder.site.program import filled
from autograder.workspace import COURSE

pytestmark = pytest.mark.slow

LECTURES = sorted((COURSE.root / "docs" / "lectures").glob("*.md"))
STEP = re.compile(r'write\(\s*"(\w+)\.(\w+)"')
INSTEAD = {"head_dim(d_out, num_heads)": "d_out // num_heads", "[head(x) for head in heads]": "[first, second]"}
"""What the reference says, and a box says otherwise: it knows no function of the course, and no comprehension."""

JUDGE = """async ([task, texts]) => {
    const { judged, prepared } = await import("/widgets/line_verdict.mjs");
    const box = { ...task, cases: prepared(task.cases) };
    return texts.map(text => {
        const { state, words, known, problem } = judged(text, box);
        return { state, words, known, refused: Boolean(problem) };
    });
}"""


@dataclass(frozen=True)
class Box:
    """A box of a lecture: the step that it asks for, and its attributes."""

    part: str
    step: str
    attributes: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.part}.{self.step}"

    @property
    def mistakes(self) -> list[Mistake]:
        return [mistake for mistake in COURSE.course.mistakes(self.part) if mistake.step == self.step]


class _Boxes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "write-line":
            self.found.append({name: value for name, value in attrs if value is not None})


@cache
def boxes() -> tuple[Box, ...]:
    found = []
    for lecture in LECTURES:
        text = lecture.read_text(encoding="utf-8")
        if steps := STEP.findall(text):
            parser = _Boxes()
            parser.feed(filled(text, Edition.OPEN))
            found += [Box(*step, attributes) for step, attributes in zip(steps, parser.found, strict=True)]
    return tuple(found)


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}/widgets/")
    yield page
    page.close()


Judge = Callable[[Box, list[str]], list[dict[str, Any]]]


@pytest.fixture
def judge(page: Page) -> Judge:
    def judge(box: Box, texts: list[str]) -> list[dict[str, Any]]:
        read_as = {"cases": json.loads, "says": json.loads, "without": json.loads}
        task = {name: read_as[name](value) for name, value in box.attributes.items() if name in read_as}
        found = page.evaluate(JUDGE, [{"without": [], **task}, texts])
        assert isinstance(found, list)
        return found

    return judge


def lines_of(definition: str) -> str:
    """The lines of a function, or of a module's forward, without the docstring, in a language that has no comments for authors."""
    (node,) = ast.parse(textwrap.dedent(definition).replace("self.", "")).body
    if isinstance(node, ast.ClassDef):
        (node,) = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
    assert isinstance(node, ast.FunctionDef)
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return "\n".join(map(ast.unparse, body))


def reference_of(box: Box) -> str:
    steps = read(COURSE.course.solution(box.part)).steps
    lines = lines_of(next(step.text for step in steps if step.name == box.step))
    for own, in_the_box in INSTEAD.items():
        lines = lines.replace(own, in_the_box)
    return lines


def test_the_reference_is_right_in_every_box(judge: Judge) -> None:
    written = [(box, reference_of(box)) for box in boxes() if "loops" not in box.step]
    found = [judge(box, [lines])[0] for box, lines in written]

    assert [(box, said) for box, said in zip(written, found, strict=True) if said["state"] != "right"] == []


def test_a_known_mistake_that_can_be_written_here_is_told_what_the_grader_says(judge: Judge) -> None:
    others, told = [], 0
    for box in boxes():
        known = json.loads(box.attributes["says"])
        said = [one for one in box.mistakes if one.says in known and not isinstance(one.implementation, type)]
        lines = [lines_of(inspect.getsource(one.implementation)) for one in said]
        for mistake, answer in zip(said, judge(box, lines), strict=True):
            told += answer["words"] == mistake.says
            if answer["words"] != mistake.says and not answer["refused"]:
                others.append((str(box), mistake.id, answer))

    assert told > 100
    assert others == []


@pytest.fixture
def box() -> Box:
    """Scores from queries and keys: for the sentence, for other numbers, for a batch."""
    return next(box for box in boxes() if str(box) == "part2_trainable.attention_scores")


@pytest.mark.parametrize(
    ("line", "state", "words"),
    [
        ("", "empty", ""),
        ("# not yet", "empty", ""),
        ("queries @ keys.mT", "right", "and so are those for “random” and “batch”"),
        ("scores = queries @ keys.transpose(-2, -1)", "right", "Right"),
        ("queries @ keys.T", "almost", "Right for one sentence, but not for a batch"),
        ("queries @ keys.transpose(-2, -1) / 2", "wrong", "36 of 36 numbers differ, most at [1, 1]: expected 1.8524"),
        ("queries", "wrong", "Expected shape (6, 6), yours is (6, 2)."),
        ("queries @ keys.mT > 0", "wrong", "Expected dtype float, yours is bool."),
        ("2", "wrong", "Expected a tensor of shape (6, 6), you return the number 2: keep it a tensor."),
        ("queries, keys", "wrong", "Expected a tensor of shape (6, 6), you return a tuple"),
        ("queries @ kyes", "wrong", "Did you mean `keys`?"),
    ],
)
def test_of_a_line_it_is_said_what_is_wrong_with_it(judge: Judge, box: Box, line: str, state: str, words: str) -> None:
    (found,) = judge(box, [line])

    assert found["state"] == state
    assert words in found["words"]


def test_what_a_step_forbids_its_box_refuses(judge: Judge) -> None:
    box = next(box for box in boxes() if box.step == "softmax")
    (found,) = judge(box, ["softmax(scores)"])

    assert found["words"] == "This step forbids torch's own `softmax`: write it yourself."

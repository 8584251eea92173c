"""The report and a student's page in a real browser: made from real marks, with a student who would break out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import pytest
from chromium import chromium, violations
from playwright.sync_api import Page

from autograder.check import check
from autograder.classroom.class_marks import read_class
from autograder.classroom.grades import grade
from autograder.classroom.report.pages import write_report
from autograder.classroom.results import to_bytes
from autograder.course.course import Counting
from autograder.exam.model import Exam
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system, pytest.mark.world]

EVIL = '../<script>document.title = "broken"</script>\'"'
WRONG = {
    "part1_simplified": """
def attention_scores(query, inputs):
    print("<b>printed</b>" * 3)
    return 2 * (inputs @ query)

def softmax(scores):
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=0, keepdim=True)

def context_vector(weights, inputs):
    raise ValueError("<script>document.title = 'broken'</script>")
""",
    "part3_causal": "\ndef causal_mask(*arguments):\n    return ~_right(*arguments)\n",
}

Open = Callable[..., "Opened"]


@dataclass
class Opened:
    """A page in the browser, what it asked for, and what the browser complained of, since the report was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def report(course: Workspace, practice: Exam, runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of four: one right, one with mistakes and a name that would break out, one unfinished, one not readable."""
    right = {part.name: (course.solutions / f"{part.name}.py").read_text("utf-8") for part in practice.syllabus.parts}
    right["part3_causal"] += "\n_right = causal_mask\n"
    texts = {
        "ada": right,
        EVIL: {name: text + WRONG.get(name, "") for name, text in right.items()},
        "eve": {part.name: part.stub for part in practice.syllabus.parts[:2]},
        "bob": {"part1_simplified": "def dot_product(a, b:\n", "part2_trainable": right["part2_trainable"]},
    }
    folder = tmp_path_factory.mktemp("class")
    for number, (student, modules) in enumerate(texts.items()):
        (folder / f"{number}.json").write_bytes(marks_of(runner, practice, student, modules))
    write_report(grade(read_class(folder, practice.syllabus), Counting()), folder / "report.html")
    return folder / "report.html"


def marks_of(runner: Runner, exam: Exam, student: str, modules: dict[str, str]) -> bytes:
    submission = Submission(student, {name: Source.module(f"{name}.py", text) for name, text in modules.items()})
    return to_bytes(check(exam, submission, [step for step in exam.syllabus.steps if step.part in modules], runner))


@pytest.fixture(scope="module")
def window() -> Iterator[Opened]:
    """One window for all tests: a window takes longer to open than a page."""
    with chromium() as browser:
        opened = Opened(browser.new_page())
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        yield opened


@pytest.fixture
def open_page(report: Path, window: Opened) -> Open:
    """Open the report, or the page of the student who would break out."""

    def run(kind: str = "report", width: int = 1280, scheme: Literal["light", "dark"] = "light") -> Opened:
        window.page.goto("about:blank")
        window.page.set_viewport_size({"width": width, "height": 800})
        window.page.emulate_media(media="screen", color_scheme=scheme)
        window.requests.clear()
        window.complaints.clear()
        window.page.goto(report.as_uri())
        if kind == "feedback":
            window.page.get_by_role("link", name=EVIL).first.click()
            window.page.get_by_role("heading", level=1, name=EVIL).wait_for()
        return window

    return run


@pytest.mark.parametrize(("kind", "width", "scheme"), [("report", 375, "dark"), ("feedback", 1280, "light")])
def test_no_rule_of_accessibility_is_broken(open_page: Open, kind: str, width: int, scheme: str) -> None:
    assert violations(open_page(kind, width, scheme).page) == []


@pytest.mark.parametrize("kind", ["report", "feedback"])
def test_nothing_is_wider_than_the_narrowest_screen(open_page: Open, kind: str) -> None:
    assert open_page(kind, 320).page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("kind", ["report", "feedback"])
def test_a_page_asks_for_nothing_and_the_browser_has_no_complaint(open_page: Open, kind: str) -> None:
    opened = open_page(kind)

    asked = [unquote(url).rpartition("/")[2] for url in opened.requests]
    assert asked[0] == "report.html"
    assert len(asked) == {"report": 1, "feedback": 2}[kind]
    assert opened.complaints == []


def test_nothing_that_a_student_wrote_runs(open_page: Open) -> None:
    page = open_page("feedback").page

    assert page.title() == f"Feedback for {EVIL}"
    assert page.get_by_text("ValueError: <script>document.title = 'broken'</script>").count() > 0
    assert page.locator("script").count() == 0


@pytest.mark.parametrize("kind", ["report", "feedback"])
def test_every_link_leads_somewhere(open_page: Open, report: Path, kind: str) -> None:
    page = open_page(kind).page
    links = {link.get_attribute("href") or "" for link in page.locator("a").all()}
    files = {link for link in links if not link.startswith("#")}

    assert len(links) > 2
    assert [link for link in files if not (report.parent / unquote(link)).is_file()] == []
    assert [link for link in links - files if page.locator(f'[id="{link[1:]}"]').count() != 1] == []


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_page: Open) -> None:
    page = open_page().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("kind", ["report", "feedback"])
def test_a_page_prints_in_black_on_white_and_nothing_is_cut_off(open_page: Open, kind: str) -> None:
    page = open_page(kind, width=1000, scheme="dark").page
    page.emulate_media(media="print")
    regions = page.locator(".scroll, .attn-picture").evaluate_all("all => all.map(r => getComputedStyle(r).overflow)")

    assert page.pdf().startswith(b"%PDF")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert set(regions) == {"visible"}
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000

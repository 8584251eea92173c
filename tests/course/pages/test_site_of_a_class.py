"""The site as an instructor publishes it: no page gives a solution away. tests/docs/site holds the built site to it."""

import re

import pytest
from markdown import Markdown
from mkdocs.config import load_config
from secrets_of import lines_of_solutions, squeezed

from autograder.exam.model import Exam
from autograder.site.figure import Edition
from autograder.site.program import filled
from autograder.workspace import COURSE, Workspace

pytestmark = pytest.mark.slow

DOCS = COURSE.root / "docs"
RUNNING = "autograder.site.program"
PAGES = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
REVEAL = re.compile(
    r"^(?P<indent> *)\?\?\?\+? (?P<kind>\w+).*\n(?P<content>(?:(?P=indent)    .*\n|\s*\n)*)", re.MULTILINE
)


@pytest.fixture(scope="module")
def secrets(course: Workspace, practice: Exam) -> set[str]:
    return lines_of_solutions(course, practice.syllabus)


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    """A page of the site of a class, as Markdown."""
    return filled((DOCS / request.param).read_text(encoding="utf-8"), Edition.CLASS)


def test_a_page_shows_no_line_of_a_solution(page: str, secrets: set[str]) -> None:
    text = squeezed(page)

    assert len(secrets) > 80
    assert [line for line in secrets if line in text] == []


def test_a_page_reveals_no_solution_and_has_no_empty_reveal(page: str) -> None:
    reveals = [(found["kind"], bool(found["content"].strip())) for found in REVEAL.finditer(page)]

    assert [reveal for reveal in reveals if reveal[0] == "solution" or not reveal[1]] == []


@pytest.mark.parametrize(("setting", "shown"), [("true", True), ("false", False)])
def test_a_setting_says_whether_solutions_are_shown(monkeypatch: pytest.MonkeyPatch, setting: str, shown: bool) -> None:
    monkeypatch.setenv("SOLUTIONS", setting)
    settings = load_config(str(COURSE.root / "mkdocs.yml")).mdx_configs
    lines = ["```python draw", 'exercise("part2_trainable.scale_scores")', "```"]

    written = Markdown(extensions=[RUNNING], extension_configs=settings).preprocessors["running-page"].run(lines)

    assert any("??? solution" in line for line in written) is shown

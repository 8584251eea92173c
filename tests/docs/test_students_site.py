"""The site for students: INSTRUCTORS=false leaves out the pages for instructors and authors, and every link to them."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

import pytest
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from autograder.workspace import COURSE

DOCS = COURSE.root / "docs"
LINK = re.compile(r"\]\((?P<page>[\w./]+\.md)[#)]")
OF_INSTRUCTORS = {
    "teach_the_course.md",
    "mark_a_class.md",
    "keep_a_gradebook.md",
    "publish_grades.md",
    "write_a_course.md",
    "reference/commands_for_instructors.md",
    "threat_model.md",
}
OF_STUDENTS = {
    "index.md",
    "lectures/scaling.md",
    "work_in_an_editor.md",
    "train_a_model.md",
    "labs/index.md",
    "reference/steps.md",
    "reference/commands.md",
}


def configured(monkeypatch: pytest.MonkeyPatch, instructors: str) -> MkDocsConfig:
    """Return what MkDocs builds a site by."""
    monkeypatch.setenv("INSTRUCTORS", instructors)
    config = load_config(str(COURSE.root / "mkdocs.yml"))
    return hook_of(config).on_config(config)


def hook_of(config: MkDocsConfig) -> Any:
    return config.hooks["docs/overrides/students_site.py"]


def pages_in(nav: list[dict[str, Any]]) -> Iterator[str]:
    for entry in nav:
        for found in entry.values():
            yield from [found] if isinstance(found, str) else pages_in(found)


@pytest.fixture
def students(monkeypatch: pytest.MonkeyPatch) -> MkDocsConfig:
    return configured(monkeypatch, "false")


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> MkDocsConfig:
    return configured(monkeypatch, "true")


def test_students_find_their_pages_and_none_of_an_instructor(students: MkDocsConfig) -> None:
    pages = {*pages_in(students.nav)}

    assert pages >= OF_STUDENTS
    assert pages & OF_INSTRUCTORS == set()


def links_to_others(config: MkDocsConfig, left_out: set[str]) -> list[tuple[str, str]]:
    hook = hook_of(config)
    found = []
    for page in sorted({*pages_in(config.nav)} - left_out):
        text = hook.on_page_markdown((DOCS / page).read_text(encoding="utf-8"), config=config)
        targets = (posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) for link in LINK.findall(text))
        found += [(page, target) for target in targets if target in left_out]
    return found


def test_no_page_for_students_leads_to_one_that_is_left_out(whole: MkDocsConfig, students: MkDocsConfig) -> None:
    left_out = {*pages_in(whole.nav)} - {*pages_in(students.nav)}

    assert links_to_others(students, left_out) == []
    assert links_to_others(whole, left_out) == [("index.md", "teach_the_course.md")]

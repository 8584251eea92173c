"""The site for students: INSTRUCTORS=false leaves out the pages for instructors and authors."""

from collections.abc import Iterator
from typing import Any

import pytest
from mkdocs.config import load_config

from autograder.workspace import COURSE

OF_INSTRUCTORS = {"teach_the_course.md", "publish_grades.md", "write_a_course.md", "threat_model.md"}
OF_STUDENTS = {"index.md", "lectures/scaling.md", "labs/index.md", "reference/steps.md", "reference/commands.md"}


def pages_in(nav: list[dict[str, Any]]) -> Iterator[str]:
    for entry in nav:
        for found in entry.values():
            yield from [found] if isinstance(found, str) else pages_in(found)


@pytest.mark.parametrize(("instructors", "theirs"), [("false", set()), ("true", OF_INSTRUCTORS)])
def test_students_find_their_pages_and_none_of_an_instructor(
    monkeypatch: pytest.MonkeyPatch, instructors: str, theirs: set[str]
) -> None:
    monkeypatch.setenv("INSTRUCTORS", instructors)
    config = load_config(str(COURSE.root / "mkdocs.yml"))
    pages = {*pages_in(config.hooks["docs/overrides/students_site.py"].on_config(config).nav)}

    assert pages >= OF_STUDENTS
    assert pages & OF_INSTRUCTORS == theirs

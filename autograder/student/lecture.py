"""Where the section of a lecture is that teaches a step: on a page for the browser, and as text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.exam.syllabus import SyllabusStep
from autograder.student.editing import Location
from autograder.workspace import Workspace

BUILT = "site"
"""The folder that MkDocs builds the pages into, beside the course."""


@dataclass(frozen=True)
class Lecture:
    """The section that teaches a step. address: that of its page in a browser, empty where there is no such page. text: in Markdown."""

    address: str
    text: Location


def lecture_of(workspace: Workspace, step: SyllabusStep) -> Lecture:
    """Return where a step is taught: on the site that was built beside the course, else on the published one, else as text alone."""
    page, _, anchor = step.lecture.partition("#")
    text = Location(workspace.root / page, _line_of(workspace.root / page, anchor))
    name = page.removeprefix("docs/").removesuffix(".md")
    built = next((path for path in _pages(workspace.root / BUILT, name) if path.is_file()), None)
    if built:
        return Lecture(f"{built.resolve().as_uri()}#{anchor}", text)
    site = workspace.course.site.rstrip("/")
    return Lecture(f"{site}/{name}/#{anchor}" if site else "", text)


def _pages(site: Path, name: str) -> Iterator[Path]:
    """Yield where MkDocs may have written a page: into a folder of its own, or beside the others."""
    yield site / name / "index.html"
    yield site / f"{name}.html"


def _line_of(page: Path, anchor: str) -> int:
    """Return the line of a page where a section begins; the first if it cannot be found."""
    target = re.compile(rf'\{{#{re.escape(anchor)}\}}|id="{re.escape(anchor)}"')
    try:
        lines = page.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return 1
    return next((number for number, line in enumerate(lines, start=1) if target.search(line)), 1)

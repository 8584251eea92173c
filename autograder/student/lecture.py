"""Where the section of a lecture is that teaches a step: on a page for the browser, and as text."""

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.exam.syllabus import SyllabusStep
from autograder.student.editing import Location
from autograder.workspace import Workspace

BUILT = "site"
"""The folder that MkDocs builds the pages into, beside the course."""


@dataclass(frozen=True)
class Lecture:
    """The section that teaches a step. built: the site beside the course, None where there is none, and page: its address there.
    published: its address elsewhere, empty where there is none. text: where it stands in Markdown.
    """

    built: Path | None
    page: str
    published: str
    text: Location


def lecture_of(workspace: Workspace, step: SyllabusStep) -> Lecture:
    """Return where a step is taught: on the site that was built beside the course, on the published one, and as text."""
    path, _, anchor = step.lecture.partition("#")
    name = path.removeprefix("docs/").removesuffix(".md")
    site, published = workspace.root / BUILT, workspace.course.site.rstrip("/")
    pages = {f"{name}/": f"{name}/index.html", f"{name}.html": f"{name}.html"}  # MkDocs writes them in one of two ways
    page = next((page for page, file in pages.items() if (site / file).is_file() and workspace.holds(site)), "")
    return Lecture(
        site if page else None,
        f"{page}#{anchor}",
        f"{published}/{name}/#{anchor}" if published else "",
        Location(workspace.root / path, _line_of(workspace.root / path, anchor)),
    )


def _line_of(page: Path, anchor: str) -> int:
    """Return the line of a page where a section begins; the first if it cannot be found."""
    target = re.compile(rf'\{{#{re.escape(anchor)}\}}|id="{re.escape(anchor)}"')
    try:
        lines = page.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return 1
    return next((number for number, line in enumerate(lines, start=1) if target.search(line)), 1)

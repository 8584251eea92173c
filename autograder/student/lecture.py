"""The section of a lecture that teaches a step: on the site that was built beside the course, on the published one, and as text.

The built site is served to this machine's browsers: from the disk itself they load no module, so that no widget would start.
"""

import os
import re
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer

from autograder.exam.syllabus import SyllabusStep
from autograder.student.editing import Location
from autograder.workspace import Workspace

BUILT = "site"
"""The folder that MkDocs builds the pages into, beside the course."""

PORT = 8000
"""The port of `make docs`, if it is free: a browser keeps by address which lectures have been read."""


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
    """Return where a step is taught."""
    path, _, anchor = step.lecture.partition("#")
    name = path.removeprefix("docs/").removesuffix(".md")
    site, published = workspace.root / BUILT, workspace.course.site.rstrip("/")
    pages = {f"{name}/": f"{name}/index.html", f"{name}.html": f"{name}.html"}  # MkDocs writes them in one of two ways
    page = next((page for page, file in pages.items() if (site / file).is_file()), "")
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


class SiteServer(ThreadingTCPServer):
    """Serves a folder at 127.0.0.1: `with SiteServer(folder) as server: server.serve_forever()`."""

    allow_reuse_address = os.name == "posix"  # elsewhere it would take a port from who has it
    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        files = partial(_Files, directory=str(folder))
        try:
            super().__init__(("127.0.0.1", PORT), files)
        except OSError:
            super().__init__(("127.0.0.1", 0), files)

    @property
    def address(self) -> str:
        """Return where the site is, with a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore it: a browser that closed a connection went on to another page."""


class _Files(SimpleHTTPRequestHandler):
    """Files as a host would send them, whatever Windows' registry says of their types. A site that is built again is seen at once."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".css": "text/css",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".svg": "image/svg+xml",
    }

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass

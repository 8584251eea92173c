"""Find the section of the lectures on a step: on the site built here, the published site, or as text.

The site built here is served over HTTP, because browsers load no JavaScript modules from the disk.
"""

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer

from autograder.exam.syllabus import SyllabusStep
from autograder.student.editing import Location
from autograder.workspace import Workspace

BUILT = "site"
"""The folder in the course into which MkDocs builds the site."""

PORT = 8000
"""The port of `make docs`. At the same address, browsers remember which lectures have been read."""


def lecture_of(workspace: Workspace, step: SyllabusStep) -> tuple[str, str, Location]:
    """Return two addresses of the section that teaches a step, and its line in the Markdown file.

    First a path on the built site, then an address on the published site, each "" without that site.
    """
    path, _, anchor = step.lecture.partition("#")
    page = path.removeprefix("docs/").removesuffix(".md")
    published, source = workspace.course.site.rstrip("/"), workspace.root / path
    lines = source.read_text(encoding="utf-8").split("\n") if source.is_file() else []
    marks = f"{{#{anchor}}}", f'id="{anchor}"'
    line = next((number for number, line in enumerate(lines, start=1) if any(mark in line for mark in marks)), 1)
    return (
        f"{page}/#{anchor}" if (workspace.root / BUILT / page / "index.html").is_file() else "",
        f"{published}/{page}/#{anchor}" if published else "",
        Location(source, line),
    )


class SiteServer(ThreadingTCPServer):
    """Serves a folder at 127.0.0.1: `with SiteServer(folder) as server: server.serve_forever()`."""

    allow_reuse_address = os.name == "posix"  # on Windows, it would take a port in use
    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        files = partial(_Files, directory=str(folder))
        try:
            super().__init__(("127.0.0.1", PORT), files)
        except OSError:
            super().__init__(("127.0.0.1", 0), files)

    @property
    def address(self) -> str:
        """The address of the site, with a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors. They arise when a browser goes to another page and closes its connections."""


class _Files(SimpleHTTPRequestHandler):
    """Serves files without a log. Sets the MIME types that Windows' registry may have wrong."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".css": "text/css",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
    }

    def log_message(self, format: str, *args: object) -> None:
        pass

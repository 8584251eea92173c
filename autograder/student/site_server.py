"""A built site, served to this machine's browsers: from the disk itself they load no module, so that no widget would start."""

import io
import os
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from typing import BinaryIO

PORT = 8000
"""That of `make docs`, if it is free: a browser keeps for an address which lectures have been read."""


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
        """Say nothing: a browser that closed a connection went on to another page."""


class _Files(SimpleHTTPRequestHandler):
    """Files as a host would send them, whatever Windows' registry says of their types. A site that is built again is seen at once."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".css": "text/css",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".svg": "image/svg+xml",
    }

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Answer with a file of the folder, and with none that a link leads to elsewhere."""
        place, folder = self.translate_path(self.path), os.path.realpath(self.directory)
        sent = (place, *(os.path.join(place, page) for page in ("index.html", "index.htm")))
        if not all(Path(os.path.realpath(one)).is_relative_to(folder) for one in sent):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass

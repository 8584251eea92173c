"""The lecture site built into a folder, and a server for it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from autograder.site.font import write_font

ROOT = Path(__file__).resolve().parents[2]
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}


@dataclass(frozen=True)
class Site:
    """A built site. folder: its files. address: where it is served, with a slash at the end."""

    folder: Path
    address: str

    @property
    def pages(self) -> list[str]:
        """Return the paths of all pages, as the sitemap names them: "" is the start."""
        places = ElementTree.parse(self.folder / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
        return [(place.text or "").removeprefix(self.address) for place in places]

    @property
    def lectures(self) -> list[str]:
        return [page for page in self.pages if page.startswith("lectures/")]

    def file(self, page: str) -> Path:
        """Return the file of a page."""
        return self.folder / page / "index.html"

    def file_of(self, link: str) -> Path:
        """Return the file that a server sends for an address of the site."""
        path = self.folder / unquote(urlsplit(link).path).lstrip("/")
        return path / "index.html" if link.partition("#")[0].endswith("/") else path


class SiteNotBuilt(Exception):
    """MkDocs refused to build the site; the message is what it printed."""


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def build_site(folder: Path, address: str, root: Path = ROOT, **settings: str) -> None:
    """Build the site of a course as `make site` does. settings: environment variables that mkdocs.yml reads. Raises SiteNotBuilt."""
    write_font(root / "docs")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SITE_URL": address, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if built.returncode:
        raise SiteNotBuilt(built.stderr + built.stdout)


@contextmanager
def served(folder: Path, port: int) -> Iterator[None]:
    """Serve a folder at a port of this machine for as long as the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Host, directory=str(folder)))
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield
    server.shutdown()
    server.server_close()


class _Host(SimpleHTTPRequestHandler):
    """One request. Connections stay open, and browsers may keep what they have for ten minutes."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass

"""A built site is served as a host would send it: with the types that browsers ask of modules, and anew when it is built again."""

from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest
from built_site import free_port

from autograder.student import site_server
from autograder.student.site_server import SiteServer


@pytest.fixture(autouse=True)
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A port of the test's own in place of the usual one."""
    port = free_port()
    monkeypatch.setattr(site_server, "PORT", port)
    return port


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with SiteServer(folder) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield server.address
        finally:
            server.shutdown()


def headers_of(folder: Path, name: str) -> Message:
    (folder / name).touch()
    with served(folder) as address, urlopen(address + name, timeout=60) as answer:
        headers = answer.headers
    assert isinstance(headers, Message)
    return headers


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.mjs", "text/javascript"),
        ("search.js", "text/javascript"),
        ("whole.css", "text/css"),
        ("logo.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_the_type_that_browsers_ask_for_whatever_the_system_says(
    tmp_path: Path, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mimetypes.guess_type", lambda path: ("text/plain", None))
    assert headers_of(tmp_path, name).get_content_type() == kind

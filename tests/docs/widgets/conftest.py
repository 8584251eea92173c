"""Opens one widget in a page with Material's own styles and the course's, served from docs/."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import material
import pytest
from chromium import chromium
from playwright.sync_api import Browser, BrowserContext, Page

DOCS = Path(__file__).resolve().parents[3] / "docs"
MATERIAL = Path(material.__file__).parent / "templates" / "assets" / "stylesheets"

OpenWidget = Callable[..., Page]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where docs/ is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quietly, directory=str(DOCS)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Quietly(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def open_widget(browser: Browser, address: str) -> Iterator[OpenWidget]:
    """open_widget('<causal-mask …></causal-mask>', scheme="slate", width=375, touch=True): the page, the widget started.

    Fails the test afterwards if the browser complained, or if the page asked another site for anything.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_widget(tag: str, *, scheme: str = "default", width: int = 1280, touch: bool = False) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, has_touch=touch)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if address not in request.url else None)
        page.route("**/host.html", lambda route: route.fulfill(body=host(tag, scheme), content_type="text/html"))
        page.goto(f"{address}/host.html")
        page.wait_for_selector(".widget")  # it has started
        return page

    yield open_widget
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def overflow() -> Callable[[Page], int]:
    """By how many pixels the page is wider than its window."""
    return lambda page: int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def host(tag: str, scheme: str) -> str:
    """A page with one widget: 320 pixels remain for it in a window of 375."""
    name = re.match(r"<([a-z-]+)", tag)
    assert name, tag
    styles = [f"<style>{sheet.read_text('utf-8')}</style>" for sheet in sorted(MATERIAL.glob("*.min.css"))]
    links = [f'<link rel="stylesheet" href="/stylesheets/{sheet.name}">' for sheet in sorted(DOCS.glob("*/*.css"))]
    return f"""<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>One widget</title>
  <link rel="icon" href="data:,">
  {"".join(styles)}{"".join(links)}
  <script type="module" src="/widgets/{name[1].replace("-", "_")}.mjs"></script>
</head>
<body data-md-color-scheme="{scheme}" data-md-color-primary="indigo" style="display: block">
  <main class="md-typeset" style="max-width: 700px; margin: auto; padding: 27px">
    <h1>One widget</h1>
    {tag}
  </main>
</body>
</html>"""

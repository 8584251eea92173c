"""Puts widgets into a page with Material's own styles and the course's, served from docs/.

A page takes longer to open than a widget to start: tests share the pages, and each begins with a widget of its own.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import material
import pytest
from built_site import free_port, served
from chromium import PATIENCE
from playwright.sync_api import Browser, Page, ViewportSize

from autograder.site.font import STYLESHEET

DOCS = Path(__file__).resolve().parents[3] / "docs"
MATERIAL = Path(material.__file__).parent / "templates" / "assets" / "stylesheets"
HEIGHT = 900

OpenWidget = Callable[..., Page]

PUT_IN = """async ([tag, module, scheme]) => {
    await import(module);
    document.body.dataset.mdColorScheme = scheme;
    document.activeElement.blur();
    scrollTo(0, 0);
    document.querySelector("main").innerHTML = `<h1>One widget</h1>${tag}`;
}"""


@dataclass
class Window:
    """An open window, and what its browser complained of since the last look."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where docs/ is served."""
    port = free_port()
    with served(DOCS, port):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="package")
def windows(browser: Browser, address: str) -> Iterator[Callable[[str], Window]]:
    """Return the window in which a script runs before those of the page; it is opened when it is first asked for."""
    opened: dict[str, Window] = {}

    def window(first: str) -> Window:
        if first not in opened:
            opened[first] = open_window(browser, address, first)
        return opened[first]

    yield window
    for one in opened.values():
        one.page.context.close()


def open_window(browser: Browser, address: str, first: str) -> Window:
    window = Window(browser.new_context().new_page())
    page, complain = window.page, window.complaints.append
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: complain(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complain(str(error)))
    page.on("request", lambda request: complain(request.url) if address not in request.url else None)
    page.add_init_script(first)
    page.route("**/host.html", lambda route: route.fulfill(body=host(), content_type="text/html"))
    page.goto(f"{address}/host.html")
    return window


@pytest.fixture
def open_widget(windows: Callable[[str], Window]) -> Iterator[OpenWidget]:
    """open_widget('<causal-mask …></causal-mask>', scheme="slate", width=375): the page, the widget started.

    calm: the reader wants less motion.
    first: a script that runs before those of the page, in a window of its own.
    Fails the test afterwards if the browser complained, or if the page asked another site for anything.
    """
    used: list[Window] = []

    def open_widget(
        tag: str,
        *,
        scheme: str = "default",
        width: int = 1280,
        calm: bool = False,
        first: str = "",
    ) -> Page:
        window = windows(first)
        used.append(window)
        page = window.page
        page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
        size = ViewportSize(width=width, height=HEIGHT)
        if page.viewport_size != size:
            page.set_viewport_size(size)
        page.mouse.move(0, 0)
        page.evaluate(PUT_IN, [tag, f"/widgets/{name_of(tag).replace('-', '_')}.mjs", scheme])
        page.wait_for_selector(".widget")  # it has started
        return page

    yield open_widget
    complaints = [complaint for window in used for complaint in window.complaints]
    for window in used:
        window.complaints.clear()
    assert complaints == []


def name_of(tag: str) -> str:
    """Return the name of the element that a piece of HTML begins with."""
    name = re.match(r"<([a-z-]+)", tag)
    assert name, tag
    return name[1]


def host() -> str:
    """A page for widgets: 320 pixels remain for one in a window of 375."""
    inlined = (*sorted(MATERIAL.glob("*.min.css")), STYLESHEET)
    styles = [f"<style>{sheet.read_text('utf-8')}</style>" for sheet in inlined]
    linked = sorted(DOCS.glob("stylesheets/*.css"))
    links = [f'<link rel="stylesheet" href="/stylesheets/{sheet.name}">' for sheet in linked]
    return f"""<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>One widget</title>
  <link rel="icon" href="data:,">
  {"".join(styles)}{"".join(links)}
</head>
<body data-md-color-scheme="default" data-md-color-primary="indigo" style="display: block">
  <main class="md-typeset" style="max-width: 700px; margin: auto; padding: 27px"></main>
</body>
</html>"""

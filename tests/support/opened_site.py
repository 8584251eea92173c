"""A page of the site in the browser that remembers what the browser and the network complained of."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from built_site import Site
from chromium import PATIENCE
from playwright.sync_api import Browser, Page, Request


@dataclass(frozen=True)
class Reader:
    """How somebody reads the site. scheme: the colours that they prefer."""

    width: int = 1280
    scheme: Literal["light", "dark"] = "light"
    scripts: bool = True


@dataclass
class Opened:
    """A page in the browser, and what the browser or the network complained of since it was opened."""

    page: Page
    site: Site
    complaints: list[str] = field(default_factory=list)

    def visit(self, path: str) -> Page:
        self.page.goto(self.site.address + path)
        return self.page


Open = Callable[..., Opened]


@contextmanager
def opened_by(reader: Reader, browser: Browser, site: Site) -> Iterator[Opened]:
    """Open a window, which shows nothing yet and has nothing in its cache, and close it."""
    context = browser.new_context(
        viewport={"width": reader.width, "height": 900},
        color_scheme=reader.scheme,
        java_script_enabled=reader.scripts,
    )
    opened = Opened(context.new_page(), site)
    opened.page.set_default_timeout(PATIENCE)
    _remember(opened)
    yield opened
    context.close()


def _remember(opened: Opened) -> None:
    """Keep the warnings and errors of a page, and every request that failed or left the site."""
    page, complain = opened.page, opened.complaints.append
    page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complain(str(error)))
    page.on("requestfailed", lambda asked: None if _left(asked) else complain(f"failed: {asked.url} {asked.failure}"))
    page.on(
        "response", lambda response: complain(f"{response.status}: {response.url}") if response.status >= 400 else None
    )
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((opened.site.address, "data:")) else complain(f"another site: {asked.url}")
        ),
    )


def _left(asked: Request) -> bool:
    """Whether the reader went on before this came: the search, for example, is fetched after everything else."""
    return asked.failure == "net::ERR_ABORTED"

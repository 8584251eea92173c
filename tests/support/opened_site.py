"""A page of the site in the browser that remembers what the browser and the network complained of."""

from collections.abc import Callable
from dataclasses import dataclass, field

from built_site import Site
from playwright.sync_api import Page, Request


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


def remember(opened: Opened) -> None:
    """Keep the warnings and errors of a page, and every request that failed or left the site."""
    page, complain = opened.page, opened.complaints.append
    page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complain(str(error)))
    page.on("requestfailed", lambda asked: None if left(asked) else complain(f"failed: {asked.url} {asked.failure}"))
    page.on("response", lambda response: complain(f"{response.status}: {response.url}") if not response.ok else None)
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((opened.site.address, "data:")) else complain(f"another site: {asked.url}")
        ),
    )


def left(asked: Request) -> bool:
    """Whether the reader went on before this came: the search, for example, is fetched after everything else."""
    return asked.failure == "net::ERR_ABORTED"

"""The system's Chromium, driven by Playwright, and what axe says of a page in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect, sync_playwright

EXECUTABLE = shutil.which("chromium") or "/usr/bin/chromium-browser"  # so it is called on Ubuntu
PATIENCE = 30_000  # milliseconds, of which a busy machine may need some
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES = {"runOnly": WCAG, "resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}


LOOK = """options => axe.run(document, options).then(({ passes, violations }) => [
  ...passes.some(({ id }) => id === "color-contrast") ? [] : ["color-contrast: of no text could it be told"],
  ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)),
])"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser, and end it. Playwright runs once in a process, so no two of these may overlap."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=QUIET)
        yield browser
        browser.close()


def violations(page: Page) -> list[str]:
    """Return what axe finds against WCAG 2.2 AA and its best practice: the rule, and the element that breaks it."""
    found = _with_axe(page).evaluate(LOOK, RULES)
    assert isinstance(found, list)
    return found


def _with_axe(page: Page) -> Page:
    if not page.evaluate("Boolean(globalThis.axe)"):
        page.evaluate(AXE_SCRIPT)
    return page

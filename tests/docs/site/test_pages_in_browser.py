"""Every page, in light and dark, on a phone and on a desk, with all that it hides opened.

Colours do not depend on the width, nor widths on the colours, so that two walks see what four would.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from chromium import violations
from opened_site import Open, Opened
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

PHONE, DESK = 375, 1280
SCHEMES = {"light": "default", "dark": "slate"}
WALKS = (("light", PHONE), ("dark", DESK))

OPEN_ALL = """() => {
  document.querySelectorAll("article details").forEach(reveal => { reveal.open = true })
  document.querySelectorAll(".quiz input:first-of-type").forEach(choice => { choice.checked = true })
}"""

Findings = dict[str, list[str]]


@dataclass
class Walk:
    """What one walk over all pages found, by page; a page without findings is not in it."""

    scheme: str
    visited: int = 0
    complaints: Findings = field(default_factory=dict)
    wider: Findings = field(default_factory=dict)
    violations: Findings = field(default_factory=dict)
    schemes: set[str] = field(default_factory=set)


@pytest.fixture(scope="module", params=WALKS, ids=lambda walk: f"{walk[0]}-{walk[1]}")
def walk(request: pytest.FixtureRequest, open_site: Open) -> Iterator[Walk]:
    scheme, width = request.param
    opened = open_site(scheme=scheme, width=width)
    found = Walk(scheme)
    for path in opened.site.pages:
        look_at(path, opened, found)
    yield found
    opened.page.close()


def look_at(path: str, opened: Opened, found: Walk) -> None:
    opened.complaints.clear()
    page = opened.visit(path)
    page.evaluate(OPEN_ALL)
    start_widgets(page)
    found.visited += 1
    found.schemes.add(page.evaluate("document.body.dataset.mdColorScheme"))
    note(found.wider, path, too_wide(page))
    note(found.violations, path, violations(page))
    note(found.complaints, path, opened.complaints)


def start_widgets(page: Page) -> None:
    """Scroll to every widget: one starts when it comes near the window. The tabs fade meanwhile; here they do it at once."""
    page.add_style_tag(content="* { transition: none !important }")
    for widget in page.locator(".widget").all():
        widget.scroll_into_view_if_needed()
        expect(widget).to_have_attribute("role", "group")


def note(findings: Findings, path: str, what: list[str]) -> None:
    if what:
        findings[path] = list(what)


def too_wide(page: Page) -> list[str]:
    """Return what reaches beyond the window, if the page can be scrolled sideways."""
    return page.evaluate("""() => document.documentElement.scrollWidth <= innerWidth ? [] :
      [...document.querySelectorAll("article *")]
        .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
        .map(one => one.outerHTML.slice(0, 120))""")


def test_every_page_of_the_site_is_visited_in_its_scheme(walk: Walk) -> None:
    assert walk.visited > 10
    assert walk.schemes == {SCHEMES[walk.scheme]}


def test_nothing_fails_and_nothing_is_asked_of_another_site(walk: Walk) -> None:
    assert walk.complaints == {}


def test_no_page_is_wider_than_the_screen(walk: Walk) -> None:
    assert walk.wider == {}


def test_no_rule_of_accessibility_is_broken(walk: Walk) -> None:
    assert walk.violations == {}

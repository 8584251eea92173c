"""A walk over pages of the site: on each, everything that is hidden is opened, and looked at on the screen and on paper."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from chromium import violations
from opened_site import Opened
from playwright.sync_api import Page, expect

PAPER = 718
"""A4 without its margins, in pixels of 1/96 inch."""

OPEN_ALL = """() => {
  document.querySelectorAll("article details").forEach(reveal => { reveal.open = true })
  document.querySelectorAll(".quiz input:first-of-type").forEach(choice => { choice.checked = true })
}"""

NARROWEST = 320
"""The window in which WCAG wants everything to be read without scrolling sideways."""

TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("article *")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .concat(document.body)
    .map(one => one.outerHTML.slice(0, 120))"""

HIDDEN = """() => [...document.querySelectorAll("article details > *, article .because p")]
  .filter(one => !one.checkVisibility()).map(one => one.outerHTML.slice(0, 120))"""

NO_TEXT = """() => [...document.querySelectorAll(
  ".md-header, .md-tabs, .md-sidebar, .md-footer, .md-top, .md-code__nav, .headerlink, .md-skip")]
  .filter(one => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map(one => one.outerHTML.slice(0, 120))"""

CUT = """() => [...document.querySelectorAll("article *")]
  .filter(one => one.checkVisibility() && getComputedStyle(one).overflowX !== "visible")
  .filter(one => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .concat(document.documentElement.scrollWidth > innerWidth ? [document.body] : [])
  .map(one => one.outerHTML.slice(0, 120))"""

MEANT = """() => [...document.querySelectorAll(":is(.widget, .figure) :is(td, i, svg *, [style*='--share'], [style*='--owner'])")]
  .map(one => {
    const { backgroundColor, fill, stroke } = getComputedStyle(one);
    const ground = backgroundColor.endsWith(", 0)") ? "none" : backgroundColor;
    return [one.outerHTML.slice(0, 120), ground, one.closest("svg") ? fill + stroke : ""];
  })"""
"""The colours by which pictures say something."""

Findings = dict[str, list[str]]


@dataclass
class Walk:
    """What one walk found, by page; a page without findings is not in it.

    wider: than the screen. wider_than_narrowest: than the narrowest one. forced: what of pictures has another colour where a
    reader forces their own, as high contrast does. hidden, no_text, cut: what is missing on paper, what does not belong there,
    what does not fit.
    """

    visited: list[str] = field(default_factory=list)
    schemes: set[str] = field(default_factory=set)
    complaints: Findings = field(default_factory=dict)
    wider: Findings = field(default_factory=dict)
    wider_than_narrowest: Findings = field(default_factory=dict)
    forced: Findings = field(default_factory=dict)
    violations: Findings = field(default_factory=dict)
    hidden: Findings = field(default_factory=dict)
    no_text: Findings = field(default_factory=dict)
    cut: Findings = field(default_factory=dict)


def walk_over(opened: Opened, pages: Iterable[str]) -> Walk:
    """Visit pages of the site, one after the other."""
    found = Walk()
    for path in pages:
        _look_at(path, opened, found)
    return found


def _look_at(path: str, opened: Opened, found: Walk) -> None:
    opened.complaints.clear()
    page = opened.visit(path)
    found.visited.append(path)
    _start_widgets(page)
    _look_at_paper(path, page, found)
    page.evaluate(OPEN_ALL)
    found.schemes.add(page.evaluate("document.body.dataset.mdColorScheme"))
    _note(found.wider, path, page.evaluate(TOO_WIDE))
    _note(found.wider_than_narrowest, path, _too_wide_at(NARROWEST, page))
    _note(found.forced, path, _lost_in_forced_colours(page))
    _note(found.violations, path, violations(page))
    page.wait_for_load_state("networkidle")  # the search comes after everything else
    _note(found.complaints, path, opened.complaints)


def _look_at_paper(path: str, page: Page, found: Walk) -> None:
    """Look at the page as it would be printed, and turn back to the screen."""
    with _width(PAPER, page):
        page.emulate_media(media="print")
        for findings, script in ((found.hidden, HIDDEN), (found.no_text, NO_TEXT), (found.cut, CUT)):
            _note(findings, path, page.evaluate(script))
        page.emulate_media(media="screen")


def _too_wide_at(width: int, page: Page) -> list[str]:
    with _width(width, page):
        return list(page.evaluate(TOO_WIDE))


def _lost_in_forced_colours(page: Page) -> list[str]:
    """Return what of pictures has another colour where all colours are the reader's own."""
    meant = page.evaluate(MEANT)
    page.emulate_media(forced_colors="active")
    seen = page.evaluate(MEANT)
    page.emulate_media(forced_colors="none")
    return [before[0] for before, after in zip(meant, seen, strict=True) if before != after]


@contextmanager
def _width(width: int, page: Page) -> Iterator[None]:
    """Make the window so wide for as long as the block runs."""
    before = page.viewport_size
    assert before
    page.set_viewport_size({"width": width, "height": before["height"]})
    yield
    page.set_viewport_size(before)


def _start_widgets(page: Page) -> None:
    """Scroll to every widget: one starts when it comes near the window. The tabs fade meanwhile; here they do it at once."""
    page.add_style_tag(content="* { transition: none !important }")
    for widget in page.locator(".widget").all():
        widget.scroll_into_view_if_needed()
        expect(widget).to_have_attribute("role", "group")


def _note(findings: Findings, path: str, what: list[str]) -> None:
    if what:
        findings[path] = list(what)

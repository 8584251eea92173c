"""Pages of each kind, light on a phone and dark at a desk, with all that they hide opened, on the screen and on paper.

Where the whole world is tested, the walks lead over all pages.
"""

from typing import Literal, cast

import pytest
from built_site import Site
from opened_site import Reader, opened_by
from playwright.sync_api import Browser

from .walk import Walk, walk_over

pytestmark = [pytest.mark.slow, pytest.mark.system]

PHONE = Reader(width=375, scheme="light")
DESK = Reader(width=1280, scheme="dark")

KINDS = {PHONE: ("lectures/scaling/", "publish_grades/"), DESK: ("", "labs/against_torch/")}
"""Pages that together show each kind of thing that pages are made of."""


@pytest.fixture(scope="module", params=[PHONE, DESK], ids=["phone", "desk"])
def reader(request: pytest.FixtureRequest) -> Reader:
    return cast(Reader, request.param)


@pytest.fixture(scope="module", params=["of each kind", pytest.param("all", marks=pytest.mark.world)])
def found(reader: Reader, request: pytest.FixtureRequest, site: Site, browser: Browser) -> Walk:
    pages: Literal["of each kind", "all"] = request.param
    with opened_by(reader, browser, site) as opened:
        return walk_over(opened, KINDS[reader] if pages == "of each kind" else site.pages)


def test_every_page_is_visited_in_the_colours_that_the_reader_prefers(found: Walk, reader: Reader) -> None:
    assert len(found.visited) >= len(KINDS[reader])
    assert found.schemes == {"default" if reader.scheme == "light" else "slate"}


def test_nothing_fails_and_nothing_is_asked_of_another_site(found: Walk) -> None:
    assert found.complaints == {}


def test_no_page_is_wider_than_the_screen_or_the_narrowest_phone(found: Walk) -> None:
    assert found.wider == found.wider_than_narrowest == {}


def test_a_reader_with_colours_of_their_own_still_sees_shades_and_roles(found: Walk) -> None:
    assert found.forced == {}


def test_no_rule_of_accessibility_is_broken(found: Walk) -> None:
    assert found.violations == {}


def test_all_text_is_printed_and_no_button(found: Walk) -> None:
    assert found.hidden == found.no_text == found.cut == {}

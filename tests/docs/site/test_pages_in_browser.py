"""Every page, in light and dark, on a phone and on a desk, with all that it hides opened.

Colours do not depend on the width, nor widths on the colours, so that two walks see what four would. The second of them goes
over pages of each kind. Where the whole world is tested, both go over all pages, and judge the contrast of every text.
"""

import pytest
from built_site import Site
from opened_site import Reader, opened_by
from playwright.sync_api import Browser

from .walk import Walk, walk_over

pytestmark = [pytest.mark.slow, pytest.mark.system]

KINDS = ("", "lectures/scaling/", "labs/against_torch/", "reference/steps/", "publish_grades/", "add_an_exercise/")
"""Pages that together show each kind of thing that pages are made of."""

PHONE = Reader(width=375, scheme="light")
DESK = Reader(width=1280, scheme="dark")

SCHEMES = {
    "walk": "default",
    "walk_at_a_desk": "slate",
    "long_walk_with_a_phone": "default",
    "long_walk_at_a_desk": "slate",
}


@pytest.fixture(scope="module")
def walk_at_a_desk(site: Site, browser: Browser) -> Walk:
    with opened_by(DESK, browser, site) as opened:
        return walk_over(opened, KINDS)


@pytest.fixture(scope="module")
def long_walk_with_a_phone(site: Site, browser: Browser) -> Walk:
    with opened_by(PHONE, browser, site) as opened:
        return walk_over(opened, site.pages, every_text=True)


@pytest.fixture(scope="module")
def long_walk_at_a_desk(site: Site, browser: Browser) -> Walk:
    with opened_by(DESK, browser, site) as opened:
        return walk_over(opened, site.pages, every_text=True)


every_walk = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.world if name.startswith("long") else ()) for name in SCHEMES],
)


@pytest.fixture
def found(name: str, request: pytest.FixtureRequest) -> Walk:
    walk = request.getfixturevalue(name)
    assert isinstance(walk, Walk)
    return walk


@every_walk
def test_every_page_is_visited_in_its_scheme(found: Walk, name: str) -> None:
    assert len(found.visited) > 5
    assert found.schemes == {SCHEMES[name]}


@every_walk
def test_nothing_fails_and_nothing_is_asked_of_another_site(found: Walk) -> None:
    assert found.complaints == {}


@every_walk
def test_no_page_is_wider_than_the_screen(found: Walk) -> None:
    assert found.wider == {}


@every_walk
def test_no_page_is_wider_than_the_narrowest_phone(found: Walk) -> None:
    assert found.wider_than_narrowest == {}


@every_walk
def test_a_reader_with_colours_of_their_own_still_sees_shades_and_roles(found: Walk) -> None:
    assert found.forced == {}


@every_walk
def test_no_rule_of_accessibility_is_broken(found: Walk) -> None:
    assert found.violations == {}


def test_the_walk_leads_over_the_whole_site(walk: Walk, site: Site) -> None:
    assert len(walk.visited) > 40
    assert set(KINDS) < set(walk.visited) == set(site.pages)

"""A link to a page, shared elsewhere, shows what the page is: its title, its description, and a picture of its own."""

import struct
from collections import Counter
from pathlib import Path

import pytest
from built_site import Site
from lxml import html

pytestmark = pytest.mark.slow

ONCE = ("og:type", "og:site_name", "og:title", "og:description", "og:url", "og:image", "og:image:alt", "twitter:card")


def test_every_page_has_a_card_with_each_entry_once(site: Site) -> None:
    told = {page: Counter(name for name, _ in entries(site, page)) for page in site.pages}

    assert {page: counts for page, counts in told.items() if [counts[name] for name in ONCE] != [1] * len(ONCE)} == {}


def test_every_page_has_a_picture_of_its_own(site: Site) -> None:
    pictures = [picture_of(site, page).read_bytes() for page in site.pages]

    assert len({*pictures}) == len(site.pages)
    assert {struct.unpack(">II", picture[16:24]) for picture in pictures} == {(1200, 630)}


def entries(site: Site, page: str) -> list[tuple[str, str]]:
    """Return what the head of a page says for cards, and the description that search engines read."""
    found = html.parse(site.file(page)).xpath("//head/meta[@property or starts-with(@name, 'twitter:')]")
    return [(str(meta.get("property") or meta.get("name")), str(meta.get("content"))) for meta in found]


def picture_of(site: Site, page: str) -> Path:
    return site.folder / dict(entries(site, page))["og:image"].removeprefix(site.address)

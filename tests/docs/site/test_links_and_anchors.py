"""The built files alone: every link leads somewhere, and every name on a page is its own."""

from collections import Counter
from functools import cache
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from built_site import Site
from lxml import html

pytestmark = pytest.mark.slow


def test_every_link_of_the_site_leads_to_a_file(site: Site) -> None:
    assert missing(site) == []


@pytest.mark.world
def test_every_link_of_the_site_for_students_leads_to_a_file(class_site: Site) -> None:
    assert missing(class_site) == []
    assert "mark_a_class/" not in class_site.pages


def test_every_anchor_stands_on_the_page_that_it_names(site: Site) -> None:
    pages = set(site.pages)
    lost = [
        (page, link)
        for page in site.pages
        for link in links(site, page)
        if (anchor := unquote(urlsplit(link).fragment))
        and (target := urlsplit(link).path.lstrip("/")) in pages
        and anchor not in names(site, target)
    ]

    assert lost == []


def test_every_name_is_given_once_on_a_page(site: Site) -> None:
    twice = {page: [name for name, count in names(site, page).items() if count > 1] for page in site.pages}

    assert {page: found for page, found in twice.items() if found} == {}


def missing(site: Site) -> list[tuple[str, str]]:
    """Return the links that lead to no file, each with its page."""
    return [(page, link) for page in site.pages for link in links(site, page) if not site.file_of(link).is_file()]


def links(site: Site, page: str) -> list[str]:
    """Return the addresses within the site that a page names: links, styles, scripts and pictures."""
    found = read(site, page).xpath("//@href | //@src")
    absolute = [urljoin(site.address + page, link) for link in found]
    return [link for link in absolute if link.startswith(site.address)]


def names(site: Site, page: str) -> Counter[str]:
    """Return how often each id is given on a page."""
    return Counter(read(site, page).xpath("//@id"))


@cache
def read(site: Site, page: str) -> html.HtmlElement:
    return html.fromstring(site.file(page).read_bytes())

"""Prose has curly quotes; code keeps those that Python reads."""

import pytest
from built_site import Site
from lxml import html

pytestmark = pytest.mark.slow

PROSE = "//article//*[self::p or self::li or self::td or self::figcaption or self::label or self::legend or self::h1 or self::h2]"


def test_no_straight_quote_stands_in_prose(site: Site) -> None:
    straight = [
        (page, text.strip())
        for page in site.pages
        for element in html.parse(site.file(page)).xpath(PROSE)
        for text in element.xpath(".//text()[not(ancestor::pre or ancestor::code or ancestor::script)]")
        if "'" in text or '"' in text
    ]

    assert straight == []

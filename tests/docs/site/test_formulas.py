"""Formulas are drawn with the site's own font, and with no other."""

import pytest
from built_site import Site
from fontTools.ttLib import TTFont
from lxml import html

from autograder.pages.font import FILE, ITALICS

pytestmark = pytest.mark.slow


def test_the_font_has_every_sign_of_every_formula(site: Site) -> None:
    drawn = {sign for page in site.pages for sign in signs_of(site, page)}
    letters = {chr(code) for code in TTFont(site.folder / FILE).getBestCmap()}

    assert {"∑", "𝜇", "𝑑"} <= drawn
    assert drawn - letters == set()


def signs_of(site: Site, page: str) -> set[str]:
    """Return what a browser draws in the formulas of a page: a name of one letter is in italics."""
    formulas = html.parse(site.file(page)).iter("math")
    texts = [(token.tag, (token.text or "").strip()) for formula in formulas for token in formula.iter()]
    return {sign for tag, text in texts for sign in (ITALICS.get(text, text) if tag == "mi" else text)} - {" ", "\n"}

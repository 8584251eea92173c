"""Formulas are drawn with the site's own font, and with no other."""

import pytest
from built_site import Site
from fontTools.ttLib import TTFont
from lxml import html
from opened_site import Open

from autograder.site.font import FILE, ITALICS

pytestmark = pytest.mark.slow


def test_the_font_has_every_sign_of_every_formula(site: Site) -> None:
    drawn = {sign for page in site.pages for sign in signs_of(site, page)}
    letters = {chr(code) for code in TTFont(site.folder / FILE).getBestCmap()}

    assert {"∑", "𝜇", "𝑑"} <= drawn
    assert drawn - letters == set()


@pytest.mark.parametrize(
    "page", ["", "lectures/rotary_positions/", "lectures/transformer_block/", "lectures/training/"]
)
def test_a_formula_is_whole_on_the_narrowest_phone(open_site: Open, page: str) -> None:
    formulas = open_site(page, width=320).page.locator(".formula")

    assert formulas.count() > 0
    assert (
        formulas.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.outerHTML)")
        == []
    )


def signs_of(site: Site, page: str) -> set[str]:
    """Return what a browser draws in the formulas of a page: a name of one letter is in italics."""
    formulas = html.parse(site.file(page)).iter("math")
    texts = [(token.tag, (token.text or "").strip()) for formula in formulas for token in formula.iter()]
    return {sign for tag, text in texts for sign in (ITALICS.get(text, text) if tag == "mi" else text)} - {" ", "\n"}

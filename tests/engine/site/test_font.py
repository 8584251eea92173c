"""The font of the formulas holds what the pages need, and little more."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from autograder.site.font import FILE, write_font


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = tmp_path_factory.mktemp("docs")
    (docs / "page.md").write_text("The root $\\sqrt{d_k}$.\n\n$$\n\\sum_i \\alpha_i v_i\n$$\n", encoding="utf-8")
    return write_font(docs)


def test_the_font_stands_where_the_stylesheet_looks_for_it(font: Path) -> None:
    stylesheet = font.with_name("lectures.css")

    assert font.name == FILE.name
    assert f'url("../{FILE.as_posix()}")' in stylesheet.read_text(encoding="utf-8")


def test_the_font_has_the_letters_of_the_formulas_and_no_others(font: Path) -> None:
    letters = TTFont(font).getBestCmap()

    assert {ord(letter) for letter in "√∑(["} <= set(letters)
    assert ord("𝑑") in letters
    assert ord("𝑧") not in letters

"""The font of the formulas holds what the pages need, and little more."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from autograder.authoring.sync import STYLESHEETS
from autograder.site.font import FILE, glyphs_of, write_font


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = tmp_path_factory.mktemp("docs")
    (docs / "page.md").write_text("The root $\\sqrt{d_k}$.\n\n$$\n\\sum_i \\alpha_i v_i\n$$\n", encoding="utf-8")
    return write_font(docs)


def test_the_font_stands_where_the_stylesheet_looks_for_it(font: Path) -> None:
    stylesheet = STYLESHEETS / "lectures.css"

    assert font.name == FILE.name
    assert f'url("../{FILE.as_posix()}")' in stylesheet.read_text(encoding="utf-8")


def test_the_font_has_the_letters_of_the_formulas_and_no_others(font: Path) -> None:
    letters = TTFont(font).getBestCmap()

    assert {ord(letter) for letter in "√∑(["} <= set(letters)
    assert ord("𝑑") in letters
    assert ord("𝑧") not in letters


def test_the_font_keeps_the_tables_by_which_roots_and_brackets_grow(font: Path) -> None:
    cut = TTFont(font)

    assert "MATH" in cut
    assert len(cut.getGlyphOrder()) > 2 * len(cut.getBestCmap())


def test_code_and_prices_are_no_formulas() -> None:
    assert glyphs_of(["```sh\necho $q and $r\n```\n\n`$w$` for $5"]) == glyphs_of([])


def test_the_formulas_of_a_quiz_count() -> None:
    assert "𝑤" in glyphs_of(["```python draw\nquiz('$w$?', right('a', 'b'), wrong('c', 'd'))\n```\n"])


def test_the_formula_after_a_block_that_draws_counts() -> None:
    page = "```python draw\nbox(1)\n```\n\n$\\mu$\n\n```python draw\nbox(2)\n```\n"

    assert {"μ", "𝜇"} <= glyphs_of([page])


def test_what_is_no_formula_is_left_to_the_build_of_the_site_to_tell() -> None:
    assert glyphs_of(['```python draw\ncost = "$a_b" + "c^$"\n```\n']) == glyphs_of([])

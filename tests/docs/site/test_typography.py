"""Prose has curly quotes, and its sizes and indices are formulas; code keeps what Python reads."""

import re

import pytest
from built_site import ROOT, Site
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


NOT_A_SENTENCE = re.compile(r"^( *)(```+).*?^\1\2`*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def test_code_in_a_sentence_is_shown_as_it_is_written(site: Site) -> None:
    lost = {page: _code_written(page) - _code_shown(page, site) for page in site.pages}

    assert "induction-seed1.packed.safetensors" in _code_written("train_a_model/")
    assert {page: codes for page, codes in lost.items() if codes} == {}


def _code_written(page: str) -> set[str]:
    file, index = ROOT / "docs" / f"{page.rstrip('/')}.md", ROOT / "docs" / page / "index.md"
    source = (file if file.exists() else index).read_text("utf-8")
    return {" ".join(code.split()) for _, code in CODE.findall(NOT_A_SENTENCE.sub("", source))}


def _code_shown(page: str, site: Site) -> set[str]:
    return {" ".join(code.text_content().split()) for code in html.parse(site.file(page)).xpath("//article//code")}


SENTENCES = (
    "//article//*[self::p or self::li or self::figcaption or self::label or self::legend][not(ancestor-or-self::*[@class='keywords' "
    "or contains(@class, 'task') or contains(@class, 'instead')])]"
)
"""The words of a step are the grader's own, and a terminal shows them, too."""

ENTRY = r"[\w′…=]+(?:\s?[·×/+−*=]\s?[\w′]+)*"
SHAPE = re.compile(rf"\({ENTRY}(?:,\s{ENTRY})*,?\)")
SIZE_OR_INDEX = re.compile(r"(?<![\w’'“/.<-])(?:\d?[bdhijknprtw]|hd|kv|d_(?:k|v|in|out))(?![\w’'”])")


def test_a_size_or_an_index_in_a_sentence_is_a_formula(site: Site) -> None:
    upright = [
        (page, text.strip())
        for page in site.lectures
        for element in html.parse(site.file(page)).xpath(SENTENCES)
        for text in element.xpath(".//text()[not(ancestor::pre or ancestor::code or ancestor::math or ancestor::svg)]")
        if SIZE_OR_INDEX.search(SHAPE.sub("", text))
    ]

    assert upright == []


def test_a_matrix_of_the_code_in_a_sentence_is_code(site: Site) -> None:
    plain = [
        (page, text.strip())
        for page in site.lectures
        for element in html.parse(site.file(page)).xpath(
            f"({SENTENCES} | //article//td)[not(ancestor-or-self::figure)]"
        )
        for text in element.xpath(".//text()[not(ancestor::pre or ancestor::code or ancestor::math or ancestor::svg)]")
        if re.search(r"\bW_\w", text)
    ]

    assert plain == []


def test_a_shape_in_a_table_holds_no_formula(site: Site) -> None:
    cells = [(page, cell) for page in site.lectures for cell in html.parse(site.file(page)).xpath("//article//td")]
    shapes = [(page, cell) for page, cell in cells if SHAPE.fullmatch(cell.text_content().strip())]

    assert len(shapes) > 50
    assert [(page, cell.text_content()) for page, cell in shapes if cell.xpath(".//math")] == []

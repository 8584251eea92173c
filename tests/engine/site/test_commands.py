"""A command on a page of the reference: how it is called, what it does, and its options."""

import pytest
from lxml import html
from markdown import markdown


def page(block: str) -> html.HtmlElement:
    extensions = ["pymdownx.superfences", "def_list", "tables", "autograder.site.commands"]
    return html.fromstring(f"<main>{markdown(block, extensions=extensions)}</main>")


@pytest.fixture(scope="module")
def lab() -> html.HtmlElement:
    return page("::: attn lab cache-speed")


def test_it_begins_with_an_example_and_its_usage(lab: html.HtmlElement) -> None:
    assert [pre.text_content().strip() for pre in lab.iter("pre")] == ["attn lab cache-speed", "attn lab [OPTIONS] LAB"]


def test_each_option_has_its_words_below_it(lab: html.HtmlElement) -> None:
    told = dict(zip(lab.xpath(".//dl[2]/dt/code/text()"), lab.xpath(".//dl[2]/dd/text()"), strict=True))

    assert told["--reference"] == "Measure the reference instead of your own code."

"""A command on a page of the reference: how it is called, what it does, and its options."""

import pytest
from lxml import html
from markdown import markdown


def page(block: str) -> html.HtmlElement:
    extensions = ["pymdownx.superfences", "def_list", "tables", "autograder.site.commands"]
    return html.fromstring(f"<main>{markdown(block, extensions=extensions)}</main>")


@pytest.fixture(scope="module")
def lab() -> html.HtmlElement:
    return page("::: command workbench.lab_command:lab")


def test_it_begins_with_its_usage(lab: html.HtmlElement) -> None:
    assert next(lab.iter("pre")).text_content() == "attn lab [OPTIONS] LAB\n"


def test_each_option_has_its_words_below_it(lab: html.HtmlElement) -> None:
    told = dict(zip(lab.xpath(".//dl[2]/dt/code/text()"), lab.xpath(".//dl[2]/dd/text()"), strict=True))

    assert told["--reference"] == "Measure the reference instead of your own code."


def test_the_overview_has_a_row_for_each_command_of_the_page() -> None:
    found = page("::: overview\n\n## attn hint\n\n::: command autograder.cli.student:hint")

    assert found.xpath(".//td//a/@href") == ["#attn-hint"]
    assert found.xpath(".//td[2]/text()") == ["The next hint of a step; each call reveals one more."]


@pytest.mark.parametrize("block", ["::: command no_module:lab", "::: command workbench.lab_command:nothing"])
def test_a_command_that_does_not_exist_ends_the_build(block: str) -> None:
    with pytest.raises((ImportError, AttributeError)):
        page(block)

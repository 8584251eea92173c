"""Where lines of a page may end, and on which side the numbers of a table stand."""

import pytest
from lxml import html
from markdown import markdown


def page(text: str) -> html.HtmlElement:
    return html.fromstring(f"<main>{markdown(text, extensions=['tables', 'autograder.site.line_ends'])}</main>")


@pytest.mark.parametrize(
    "number", ["10 000", "1 234 567", "192 MiB", "4 GB", "3 min", "10 %", "0.3 s", "t × d", "2 × 3 × 4"]
)
def test_no_line_ends_within_a_number_or_a_product(number: str) -> None:
    whole = number.replace(" ", "\N{NO-BREAK SPACE}")

    assert (
        page(f"It takes {number} here, and **{number}** there.").text_content()
        == f"It takes {whole} here, and {whole} there."
    )


COMMANDS = """python -m pip install -e '.[docs]' # with what a page needs
attn lab 4096 --reference > "a b.txt" \\
    && cp one/two.py three
attn check part5_inference.attend_with_cache
"""


def block(language: str) -> html.HtmlElement:
    made = markdown(
        f"```{language}\n{COMMANDS}```",
        extensions=[
            "pymdownx.superfences",
            "pymdownx.highlight",
            *(f"autograder.site.{name}" for name in ("lean_code", "line_ends")),
        ],
        extension_configs={"pymdownx.highlight": {"pygments_lang_class": True}},
    )
    return html.fragment_fromstring(made).find(".//code")


@pytest.mark.parametrize("language", ["sh", "bat", "python"])
def test_a_block_stays_the_text_that_was_written(language: str) -> None:
    assert block(language).text_content() == COMMANDS

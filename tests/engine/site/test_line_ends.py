"""Where lines of a page may end, and on which side the numbers of a table stand."""

import re

import pytest
from lxml import html
from markdown import markdown


def page(text: str) -> html.HtmlElement:
    return html.fromstring(f"<main>{markdown(text, extensions=['tables', 'autograder.site.line_ends'])}</main>")


@pytest.mark.parametrize("code", ["--sandbox", "attn grade --sandbox full", "cache-speed, or --reference", "x"])
def test_no_line_ends_within_an_option(code: str) -> None:
    (found,) = page(f"Run `{code}`.").iter("code")

    assert found.text_content() == code
    assert found.xpath(".//span[@class='whole']/text()") == [word for word in code.split() if "-" in word]


def test_a_long_name_may_go_on_in_the_next_line_behind_an_underscore_and_a_slash() -> None:
    (found,) = page("`exercises/part1_simplified.py`").iter("code")

    assert [found.text, *(joint.tail for joint in found.iter("wbr"))] == ["exercises/", "part1_", "simplified.py"]


def test_a_short_name_stays_whole() -> None:
    assert page("`d_out`").xpath("//wbr") == []


def test_what_may_break_behind_what_may_not_loses_nothing() -> None:
    code = "attn show ada-1 induction-seed1.packed.safetensors part_of_a_long_name-and_more"

    assert page(f"`{code}`").xpath("string(//code)") == code


@pytest.mark.parametrize("shape", ["(b, t, emb_dim)", "(2, 6)", "(b, h, t, hd)"])
def test_no_line_ends_within_a_shape(shape: str) -> None:
    assert page(f"It is {shape}, or **{shape}**.").text_content().count(shape.replace(" ", "\N{NO-BREAK SPACE}")) == 2


@pytest.mark.parametrize(
    "number", ["10 000", "1 234 567", "192 MiB", "4 GB", "3 min", "10 %", "0.3 s", "t × d", "2 × 3 × 4"]
)
def test_no_line_ends_within_a_number_or_a_product(number: str) -> None:
    whole = number.replace(" ", "\N{NO-BREAK SPACE}")

    assert (
        page(f"It takes {number} here, and **{number}** there.").text_content()
        == f"It takes {whole} here, and {whole} there."
    )


@pytest.mark.parametrize("words", ["in 2026 100 did", "part 1 so far", "4 or 20000", "see 5 steps"])
def test_words_behind_a_number_stay_apart_from_it(words: str) -> None:
    assert page(words).text_content() == words


WHOLE_SPACE = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    "sum_", ["t + 1", "p = 0.5", "h · hd", "1 · 3 + 2 · (−1) = 1", "exp(m − n)", "(b, t + 1)", "(−0.5, 0.25)"]
)
def test_no_line_ends_within_a_short_sum_or_product(sum_: str) -> None:
    assert sum_.replace(" ", WHOLE_SPACE) in page(f"It is {sum_}, so").text_content()


def test_a_formula_counts_as_one_short_name() -> None:
    made = markdown(
        "With $d$ = 8 and (b, $t$ + 1).", extensions=["autograder.site.mathml", "autograder.site.line_ends"]
    )

    assert (
        re.sub("<math.*?</math>", "x", made)
        == f"<p>With x{WHOLE_SPACE}={WHOLE_SPACE}8 and (b,{WHOLE_SPACE}x{WHOLE_SPACE}+{WHOLE_SPACE}1).</p>"
    )


def test_a_long_sum_goes_on_with_its_sign_in_the_next_line() -> None:
    shown = page("0.3986 × 0.1855 + 0.6014 × 0.3951 = 0.3116").text_content()

    assert re.split(" ", shown) == [
        one.replace(" ", WHOLE_SPACE) for one in ("0.3986 × 0.1855", "+ 0.6014 × 0.3951", "= 0.3116")
    ]


def test_short_code_of_two_words_stays_whole() -> None:
    short, long = page("`attn why`, and `attn grade submitted results`").iter("code")

    assert (short.get("class"), short.text) == ("whole", "attn why")
    assert long.get("class") is None


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


@pytest.mark.parametrize("language", ["sh", "bat"])
def test_no_line_ends_within_a_word_of_a_command(language: str) -> None:
    words = {word.text_content() for word in block(language).find_class("word")}

    assert {"-m", "-e", "'.[docs]'", "--reference", "one/two.py"} <= words
    assert not [word for word in words if " " in word or word.isalnum()]


def test_a_name_that_is_longer_than_a_line_goes_on_behind_a_dot_or_an_underscore() -> None:
    *_, name = block("sh").find_class("word")

    assert list(name.itertext()) == ["part5_", "inference.", "attend_", "with_", "cache"]


def test_of_a_command_a_comment_alone_has_a_colour() -> None:
    coloured = [span for span in block("sh").iter("span") if span.get("class") != "word"]

    assert [span.text_content() for span in coloured] == ["# with what a page needs"]


def test_other_code_ends_its_lines_where_it_was_written() -> None:
    assert block("python").find_class("word") == []


@pytest.mark.parametrize("words", ["(b, and so on)", "(context_length, emb_dim, vocab_size)", "f(a, b) in `(a, b)`"])
def test_words_in_brackets_long_shapes_and_code_keep_their_spaces(words: str) -> None:
    assert words.rpartition("`(a, b)")[1] or "\N{NO-BREAK SPACE}" not in page(words).text_content()
    assert "\N{NO-BREAK SPACE}" not in "".join(code.text_content() for code in page(words).iter("code"))


TABLE = """| what | time | share | note |
| --- | --- | --- | --- |
| one | 1.5 s | 10 % | 3 |
| two | – | 100 % | few |
| three | 3 min | 1 % | 2 |
"""


def test_a_column_of_numbers_stands_on_the_right_with_its_heading() -> None:
    rows = [["right" in cell.get("style", "") for cell in row.iterchildren()] for row in page(TABLE).iter("tr")]

    assert rows == [[False, True, True, False]] * 4


def test_no_line_ends_between_a_number_of_a_table_and_its_unit() -> None:
    whole = [cell.text_content() for cell in page(TABLE).iter("td") if "nowrap" in cell.get("style", "")]

    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in whole] == [
        "1.5 s",
        "10 %",
        "–",
        "100 %",
        "3 min",
        "1 %",
    ]

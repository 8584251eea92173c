"""Formulas become MathML when a page is made, and what is no formula stays text."""

import re

import pytest
from markdown import markdown

from autograder.site.mathml import BadFormula


def html(text: str) -> str:
    return str(markdown(text, extensions=["autograder.site.mathml"]))


def test_a_formula_in_a_sentence_becomes_mathml() -> None:
    made = html(r"Divide by $\sqrt{d_k}$ first.")

    assert "<msqrt>" in made
    assert "$" not in made
    assert 'display="block"' not in made


def test_a_formula_of_its_own_stands_in_a_box_that_can_be_scrolled() -> None:
    made = html("Before.\n\n$$\n\\frac{a}{b}\n$$\n\nAfter.")

    assert re.search(r'<div[^>]* class="formula"[^>]*><math displaystyle="true"><mfrac>', made)
    assert 'tabindex="0"' in made
    assert "<p>After.</p>" in made


def test_all_indices_stand_at_one_height() -> None:
    made = html("$q_i k_i$")

    assert re.findall(r'<msub><mpadded depth="0"><mi>(.)</mi></mpadded>', made) == ["q", "k"]


def test_a_formula_that_is_too_long_goes_on_before_a_sign_outside_of_brackets_and_behind_a_wide_space() -> None:
    made = html("$$\na = (b + c) + d \\qquad e \\quad f\n$$")

    pieces = [re.sub("<[^>]*>", "", piece) for piece in re.findall("<math.*?</math>", made)]
    assert pieces == ["a", "=(b+c)", "+d", "e", "f"]
    assert re.findall("</math>(.*?)<math", made) == ["<wbr>", "<wbr>", " ", " "]
    assert made.count('<mo form="infix">') == 2


def test_a_formula_stays_in_a_line_with_the_stop_behind_it() -> None:
    made = html("With $k$, and ($n$): more.")

    assert re.findall(r'<span class="whole"><math>.*?</math>([^<]+)</span>', made) == [",", "):"]
    assert "and (<span" in made


def test_a_formula_may_have_empty_lines() -> None:
    assert "<mfrac>" in html("$$\n\\frac{a}{b}\n\n+ c\n$$")


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6.",
        "Or 5$ and 6$.",
        r"A \$ sign, $ alone.",
        "Run `echo $HOME and $PATH`.",
        "a$b and c$d",
        "$`x`$",
    ],
)
def test_dollars_that_are_no_formula_stay(text: str) -> None:
    assert "<math" not in html(text)


@pytest.mark.parametrize("text", [r"$\frac{a}$", r"$\nosuchcommand$", "$$\n\\begin{pmatrix} a\n$$"])
def test_a_formula_that_is_no_latex_ends_the_build(text: str) -> None:
    with pytest.raises(BadFormula, match="is no LaTeX"):
        html(text)


def test_a_formula_that_is_never_closed_ends_the_build() -> None:
    with pytest.raises(BadFormula, match=re.escape("does not end with $$ and an empty line")):
        html("$$\na + b\n\nNo end.")


@pytest.mark.parametrize("text", ["It is:\n$$\nx^2\n$$", "It is $$x^2$$."])
def test_a_formula_of_its_own_within_a_paragraph_ends_the_build(text: str) -> None:
    with pytest.raises(BadFormula, match="put empty lines around"):
        html(text)


def test_words_between_two_prices_end_the_build() -> None:
    with pytest.raises(BadFormula, match=re.escape("is written \\$")):
        html("Price: $5 for each, or 10$ per pair.")


def test_dollars_in_code_are_not_looked_at() -> None:
    assert "<code>$$</code>" in html("Write `$$` before and after it.")

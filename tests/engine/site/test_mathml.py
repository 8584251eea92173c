"""Formulas become MathML when a page is made, and what is no formula stays text."""

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

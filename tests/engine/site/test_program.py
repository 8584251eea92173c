"""A page is a program: blocks run in order, sentences show values, and whatever raises ends the build."""

import pytest
import torch

from autograder.site.figure import Edition
from autograder.site.program import PageFailed, filled


def page(*lines: str, edition: Edition = Edition.OPEN) -> str:
    return filled("\n".join(lines), edition)


def test_what_is_given_stands_behind_a_fold_that_names_it() -> None:
    block = ("```python given", "x, y = (one for one in (1, 2))", "z = 3", "```", "{= x + z }")

    assert '??? given "Given: `x`, `y` and `z`"' in page(*block)
    assert page(*block).endswith("4")
    assert "???" not in filled("\n".join(block), Edition.TEXT)


def test_a_run_block_is_shown_with_what_it_prints_below() -> None:
    text = page("```python run", "x = 2", "print(3 * x)", "```")

    assert "```python\nx = 2\nprint(3 * x)\n```" in text
    assert text.index("print(3 * x)") < text.index("```{ .text .result }\n6\n```")


def test_a_drawing_has_another_face_for_who_reads_the_file() -> None:
    block = ("```python draw", "quiz('Which?', right('this', 'so'), wrong('that', 'not so'))", "```")

    assert "<fieldset" in page(*block)
    assert "<fieldset" not in page(*block, edition=Edition.TEXT)
    assert "1. this\n2. that" in page(*block, edition=Edition.TEXT)


def test_pages_do_not_share_names() -> None:
    page("```python draw", "left_behind = 1", "```")

    with pytest.raises(PageFailed, match="left_behind"):
        page("{= left_behind }")


def test_every_page_begins_with_the_same_seed_and_the_same_way_to_print() -> None:
    block = ("```python run", "print(torch.rand(2))", "```")
    first = page(*block)
    torch.set_printoptions(precision=1)
    torch.manual_seed(7)

    assert page(*block) == first


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("0.5", "0.5000"),
        ("-0.25", "−0.2500"),
        ("-0.00001", "0.0000"),
        ("6", "6"),
        ("float('-inf')", "−∞"),
        ("torch.tensor(1.5)", "1.5000"),
        ("torch.tensor([0.5, -1.0])", "(0.5000, −1.0000)"),
        ("(2, 3)", "(2, 3)"),
        ("1_000_000", "1\N{NO-BREAK SPACE}000\N{NO-BREAK SPACE}000"),
        ("torch.tensor(True)", "True"),
        ("'words'", "words"),
        ("{'a': 0.5}['a']", "0.5000"),
    ],
)
def test_a_number_in_a_sentence_is_written_out(expression: str, number: str) -> None:
    assert page(f"The score is {{= {expression} }}.") == f"The score is {number}."


@pytest.mark.parametrize(
    "expression", ["torch.ones(2, 2)", "None", "float('nan')", "torch.tensor([0.5, float('nan')])"]
)
def test_what_is_no_number_and_no_row_ends_the_build(expression: str) -> None:
    with pytest.raises(PageFailed, match=r"line 1: .* ValueError"):
        page(f"It is {{= {expression} }}.")


def test_a_block_that_raises_ends_the_build_and_names_its_line() -> None:
    with pytest.raises(PageFailed) as failed:
        page("# Title", "", "```python run", "x = 2", "y = x / 0", "```")

    assert str(failed.value).startswith("line 5: ZeroDivisionError: division by zero\n  y = x / 0\n")


@pytest.mark.parametrize(
    "info", ["python", 'python title="a"', "python hl_lines='1'", "py", "text", "python { .small }"]
)
def test_other_fences_stay_as_they_are(info: str) -> None:
    block = f"```{info}\nx = 1\n```"

    assert page("{= 1 }", block) == f"1\n{block}"


def test_what_a_block_prints_cannot_leave_its_box() -> None:
    text = page("```python run", "print('```')", "```")

    assert "````{ .text .result }\n```\n````" in text

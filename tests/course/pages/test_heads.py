"""Pictures of several heads: every number stands where its shape says, marked in the colour of its head."""

import re

import pytest
import torch

from course.attention.pages.heads import by_head, head_flow

NUMBERS = torch.arange(1.0, 13.0)  # two tokens, two heads of three numbers

CELL = re.compile(r'<td(?: class="([^"]+)")? style="--share:[\d.]+"[^>]*>(?:<span>)?([^<]+)<')


def coloured(page: str) -> dict[str, list[float]]:
    """Return the numbers of each colour, in reading order."""
    found: dict[str, list[float]] = {}
    for colour, number in CELL.findall(page):
        found.setdefault(colour, []).append(float(number.replace("−", "-")))
    return found


def test_numbers_side_by_side_have_the_colours_of_their_heads() -> None:
    drawn = by_head(NUMBERS.view(1, 2, 6), "queries", "token head·number")

    assert coloured(drawn.page) == {"head-1": [1, 2, 3, 7, 8, 9], "head-2": [4, 5, 6, 10, 11, 12]}


def test_the_rows_of_a_token_have_the_colours_of_their_heads() -> None:
    drawn = by_head(NUMBERS.view(1, 2, 2, 3), "split", "token head number")

    assert coloured(drawn.page) == {"head-1": [1, 2, 3, 7, 8, 9], "head-2": [4, 5, 6, 10, 11, 12]}
    assert re.findall("<caption>(.*?)</caption>", drawn.page) == ["token 1", "token 2"]


def test_each_table_of_a_grouped_tensor_has_one_colour() -> None:
    drawn = by_head(NUMBERS.view(1, 2, 2, 3).transpose(1, 2), "grouped", "head token number")

    assert coloured(drawn.page) == {"head-1": [1, 2, 3, 7, 8, 9], "head-2": [4, 5, 6, 10, 11, 12]}
    assert re.findall("<caption>(.*?)</caption>", drawn.page) == ["head 1", "head 2"]


def test_a_tensor_without_heads_has_no_colour() -> None:
    assert set(coloured(by_head(NUMBERS.view(1, 2, 6), "x", "token number").page)) == {""}


def test_rows_are_numbered_unless_they_have_words() -> None:
    x = NUMBERS.view(1, 2, 6)

    assert '<th scope="row">token 2</th>' in by_head(x, "x", "token number").page
    assert '<th scope="row">journey</th>' in by_head(x, "x", "token number", rows=("Your", "journey")).page


def test_what_is_hidden_stays_in_the_picture_as_minus_infinity() -> None:
    scores = torch.tensor([[[[0.5, float("-inf")], [0.25, -0.5]]]])

    page = by_head(scores, "masked", "head query key").page

    assert 'class="head-1 hidden" style="--share:1.00">−∞' in page
    assert 'style="--share:0.50">0.2500' in page


def test_weights_that_a_mask_hides_are_hatched_in_every_head() -> None:
    weights = torch.tensor([[1.0, 0.0], [0.5, 0.5]]).expand(1, 2, 2, 2)

    page = by_head(weights, "weights", "head query key", hidden=torch.ones(2, 2).triu(1) == 1).page

    assert [colour for colour, number in CELL.findall(page) if number == "0.0000"] == ["head-1 hidden", "head-2 hidden"]


def test_numbers_of_all_heads_are_shaded_by_their_sign() -> None:
    page = by_head(torch.tensor([[[0.5, -0.5]]]), "queries", "token head·number", role="query").page

    assert coloured(page) == {"head-1": [0.5], "head-2 below": [-0.5]}
    assert 'class="figure matrix heads query"' in page


def test_whole_numbers_are_names_and_not_shaded() -> None:
    page = by_head(torch.arange(4).view(1, 2, 2), "counted", "token head·number").page

    assert re.findall(r"--share:([\d.]+)", page) == ["0.00"] * 4


def test_the_caption_says_the_whole_shape() -> None:
    assert (
        "<figcaption>split (1, 2, 2, 3)</figcaption>"
        in by_head(NUMBERS.view(1, 2, 2, 3), "split", "token head number").page
    )


def test_a_reader_of_the_file_gets_every_number_with_its_head_and_token() -> None:
    text = by_head(NUMBERS.view(1, 2, 2, 3), "grouped", "head token number").text

    assert "| head 2 | token 1 | 7.0000 | 8.0000 | 9.0000 |" in text


@pytest.mark.parametrize(("shape", "dimensions"), [((2, 2, 3), "token number"), ((1, 2, 6), "head token number")])
def test_a_shape_that_does_not_fit_its_names_is_refused(shape: tuple[int, ...], dimensions: str) -> None:
    with pytest.raises(ValueError, match="no batch of one sentence"):
        by_head(NUMBERS.reshape(shape), "x", dimensions)


def test_a_flow_draws_a_sheet_for_each_head() -> None:
    page = head_flow(("weights", torch.ones(1, 2, 3, 3), "head query key"), caption="Two heads.").page

    assert page.count('class="outline"') == 2
    assert "(1, 2, 3, 3)" in page


def test_a_flow_leaves_hidden_cells_hollow() -> None:
    page = head_flow(("weights", torch.ones(1, 1, 3, 3).tril(), "head query key"), caption="One head.").page

    (squares,) = re.findall(r'<path class="head-1 cells" d="([^"]+)"', page)
    assert squares.count("z") == 6


def test_a_flow_says_in_words_what_happens_between_its_tensors() -> None:
    x = NUMBERS.view(1, 2, 6)

    text = head_flow(("x", x, "token number"), "cut", ("queries", x, "token head·number"), caption="On the way.").text

    assert text == "On the way.\n\n- **x** (1, 2, 6)\n- cut\n- **queries** (1, 2, 6)\n"

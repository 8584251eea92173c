"""A tensor as a picture: every number, its place and the tensor's shape."""

import pytest
import torch
from lxml import html

from autograder.site.matrix import matrix

WEIGHTS = torch.tensor([[1.0, 0.0], [0.25, -0.75]])
DRAWN = matrix(WEIGHTS, "weights", rows=("a", "b"), columns=("<c>", "d"), role="weight")


def cells(page: str) -> list[str]:
    return [cell.text for cell in html.fragment_fromstring(page).xpath("//td[@style]")]


def caption_of(page: str) -> str | None:
    return html.fragment_fromstring(page).findtext("figcaption")


def test_every_number_stands_in_its_cell() -> None:
    assert cells(DRAWN.page) == ["1.0000", "0.0000", "0.2500", "−0.7500"]


def test_rows_and_columns_are_labelled_as_such() -> None:
    page = html.fragment_fromstring(DRAWN.page)

    assert page.xpath("//th[@scope='row']/text()") == ["a", "b"]
    assert page.xpath("//th[@scope='col']/text()") == ["<c>", "d"]


def test_the_caption_names_the_tensor_and_its_shape() -> None:
    assert caption_of(matrix(WEIGHTS.abs(), "weights").page) == "weights (2,\N{NO-BREAK SPACE}2)"


def test_vectors_that_are_no_tensor_together_have_no_shape() -> None:
    drawn = matrix([WEIGHTS.abs()[0], WEIGHTS.abs()[1]], "before and after")

    assert cells(drawn.page) == ["1.0000", "0.0000", "0.2500", "0.7500"]
    assert caption_of(drawn.page) == "before and after"


def test_a_key_says_what_the_shades_of_numbers_below_0_are() -> None:
    (key,) = html.fragment_fromstring(DRAWN.page).xpath("//figcaption/span[@class='shades']")

    assert key.text_content() == "−11"
    assert "shades" not in matrix(WEIGHTS.abs(), "weights").page


def test_pictures_to_compare_have_one_scale() -> None:
    page = matrix(torch.tensor([1.0, 2.0]), "half", most=4.0).page

    assert html.fragment_fromstring(page).xpath("//td/@style") == ["--share:0.25", "--share:0.50"]


def test_cells_are_shaded_by_size() -> None:
    styles = html.fragment_fromstring(DRAWN.page).xpath("//td/@style")

    assert styles == ["--share:1.00", "--share:0.00", "--share:0.25", "--share:0.75"]


def test_a_number_below_0_has_a_colour_of_its_own() -> None:
    assert html.fragment_fromstring(DRAWN.page).xpath("//td[@class='below']/text()") == ["−0.7500"]


def test_a_table_tells_how_many_characters_a_row_has() -> None:
    assert html.fragment_fromstring(DRAWN.page).xpath("//table/@style") == ["--wide:7;--short:7;--columns:2;--label:1"]


@pytest.mark.parametrize(
    ("name", "longest"), [("token 1", 7), ("not scaled", 6), ("no mask, in order", 8), ("representation", 14)]
)
def test_a_label_breaks_between_words_when_it_is_long(name: str, longest: int) -> None:
    page = matrix(torch.tensor([[0.5]]), "weights", rows=(name,)).page

    assert f"--label:{longest}" in page


def test_a_wide_table_has_rounded_numbers_for_a_phone() -> None:
    wide = html.fragment_fromstring(matrix(torch.tensor([0.1257, -0.001, 1, 2, 3]), "scores").page)

    assert wide.xpath("//td/@data-short") == ["0.13", "0.00", "1.00", "2.00", "3.00"]
    assert "data-short" not in DRAWN.page


def test_whole_numbers_are_names_and_not_shaded() -> None:
    page = matrix(torch.tensor([1, 2]), "tiles").page

    assert html.fragment_fromstring(page).xpath("//td/@style") == ["--share:0.00", "--share:0.00"]


def test_a_vector_is_one_row() -> None:
    assert cells(matrix(torch.tensor([1.0, 2.0]), "scores").page) == ["1.0000", "2.0000"]


def test_a_mask_is_written_in_words() -> None:
    assert cells(matrix(torch.tensor([True, False]), "mask").page) == ["True", "False"]


def test_what_a_mask_hides_is_hatched() -> None:
    page = matrix(torch.tensor([True, False]), "mask").page

    assert html.fragment_fromstring(page).xpath("//td[@class='hidden']/text()") == ["True"]


def test_a_hidden_score_is_drawn_as_hidden() -> None:
    page = matrix(torch.tensor([[1.0, float("-inf")]]), "scores").page

    assert html.fragment_fromstring(page).xpath("//td[@class='hidden']/text()") == ["−∞"]


def test_a_weight_that_a_mask_hides_is_hatched_where_the_page_names_the_mask() -> None:
    hidden = torch.tensor([[False, True], [False, False]])

    page = matrix(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), "weights", hidden=hidden).page

    assert [cell.get("class") for cell in html.fragment_fromstring(page).iter("td")] == [None, "hidden", None, None]


def test_who_reads_the_file_gets_a_markdown_table() -> None:
    assert DRAWN.text.splitlines() == [
        "weights (2, 2)",
        "",
        "|  | <c> | d |",
        "| --- | --- | --- |",
        "| a | 1.0000 | 0.0000 |",
        "| b | 0.2500 | −0.7500 |",
    ]


def test_more_than_two_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2, 2, 2\): draw one matrix of it at a time"):
        matrix(torch.zeros(2, 2, 2), "weights")

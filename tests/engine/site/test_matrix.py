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
    assert caption_of(matrix(WEIGHTS.abs(), "weights").page) == "weights (2, 2)"


def test_a_key_says_what_the_shades_of_numbers_below_0_are() -> None:
    (key,) = html.fragment_fromstring(DRAWN.page).xpath("//figcaption/span[@class='shades']")

    assert key.text_content() == "−11"
    assert "shades" not in matrix(WEIGHTS.abs(), "weights").page


def test_cells_are_shaded_by_size() -> None:
    styles = html.fragment_fromstring(DRAWN.page).xpath("//td/@style")

    assert styles == ["--share:1.00", "--share:0.00", "--share:0.25", "--share:0.75"]


def test_a_mask_is_written_in_words() -> None:
    assert cells(matrix(torch.tensor([True, False]), "mask").page) == ["True", "False"]


def test_what_a_mask_hides_is_hatched() -> None:
    page = matrix(torch.tensor([True, False]), "mask").page

    assert html.fragment_fromstring(page).xpath("//td[@class='hidden']/text()") == ["True"]


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

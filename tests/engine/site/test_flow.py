"""A flow names its tensors, their shapes, and what happens on the way."""

import pytest
import torch
from lxml import html

from autograder.site.figure import Figure
from autograder.site.flow import box, flow


@pytest.fixture
def drawn() -> Figure:
    return flow(
        box("inputs", torch.zeros(6, 3)), "all <pairs>", box("scores", torch.zeros(6, 6), "weight"), caption="Two boxes"
    )


def test_a_box_stands_in_one_item_with_the_way_that_leads_to_it(drawn: Figure) -> None:
    items = html.fragment_fromstring(drawn.page).xpath("//ol/li")

    assert [item.text_content() for item in items] == ["inputs (6, 3)", "all <pairs> scores (6, 6)"]


def test_a_box_shows_as_many_rows_and_columns_as_its_tensor_has(drawn: Figure) -> None:
    first, second = html.fragment_fromstring(drawn.page).xpath("//path/@d")

    assert (first.count("h"), first.count("v")) == (5, 2)  # between 6 rows and 3 columns
    assert (second.count("h"), second.count("v")) == (5, 5)


@pytest.mark.parametrize(("shape", "behind"), [((3, 3), 0), ((1, 3, 3), 0), ((2, 2, 3, 3), 3), ((99, 3, 3), 7)])
def test_further_dimensions_are_sheets_behind_the_first(shape: tuple[int, ...], behind: int) -> None:
    page = flow(box("x", torch.zeros(shape)), caption="One box").page
    outlines = html.fragment_fromstring(page).xpath("//path[@class='behind']/@d")

    assert sum(outline.count("M") for outline in outlines) == behind


def test_who_reads_the_file_gets_a_list(drawn: Figure) -> None:
    assert drawn.text == "Two boxes\n\n- **inputs** (6, 3)\n- all <pairs>\n- **scores** (6, 6)\n"

"""A flow names its tensors, their shapes, and what happens on the way."""

import pytest
import torch
from lxml import html

from autograder.pages.figure import Figure
from autograder.pages.flow import box, flow


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

    assert first.count("H") == 7
    assert first.count("V") == 4
    assert second.count("V") == 7


def test_who_reads_the_file_gets_a_list(drawn: Figure) -> None:
    assert drawn.text == "Two boxes\n\n- **inputs** (6, 3)\n- all <pairs>\n- **scores** (6, 6)\n"

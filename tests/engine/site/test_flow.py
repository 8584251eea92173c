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


def test_a_sign_stands_between_two_boxes_without_an_arrow() -> None:
    x = torch.zeros(2, 2)
    page = html.fragment_fromstring(
        flow(box("a", x), "×", box("b", x), "=", box("c", x), "so", box("d", x), caption="").page
    )

    assert page.xpath("//*[contains(@class, 'way')]/@class") == ["way sign", "way sign", "way"]


def test_a_box_shows_as_many_rows_and_columns_as_its_tensor_has(drawn: Figure) -> None:
    first, second = html.fragment_fromstring(drawn.page).xpath("//path/@d")

    assert (first.count("h"), first.count("v")) == (5, 2)  # between 6 rows and 3 columns
    assert (second.count("h"), second.count("v")) == (5, 5)


@pytest.mark.parametrize("shape", [(6, 3), (18, 64), (1, 1, 18, 16), (6, 256)])
def test_a_picture_has_the_proportions_of_its_tensor(shape: tuple[int, ...]) -> None:
    (picture,) = html.fragment_fromstring(flow(box("x", torch.zeros(shape)), caption="One box").page).xpath("//svg")
    width, height = (int(picture.get(side)) - 1 for side in ("width", "height"))

    assert height == pytest.approx(max(width * shape[-2] / shape[-1], 6), abs=1)


def test_boxes_are_drawn_on_one_scale() -> None:
    drawn = flow(box("tokens", torch.zeros(6, 64)), "wider", box("hidden", torch.zeros(6, 256)), caption="Two boxes")
    narrow, wide = (int(svg.get("width")) - 1 for svg in html.fragment_fromstring(drawn.page).xpath("//svg"))

    assert wide == 4 * narrow


@pytest.mark.parametrize(("shape", "behind"), [((3, 3), 0), ((1, 3, 3), 0), ((2, 2, 3, 3), 3), ((99, 3, 3), 7)])
def test_further_dimensions_are_sheets_behind_the_first(shape: tuple[int, ...], behind: int) -> None:
    page = flow(box("x", torch.zeros(shape)), caption="One box").page
    outlines = html.fragment_fromstring(page).xpath("//path[@class='behind']/@d")

    assert sum(outline.count("M") for outline in outlines) == behind


@pytest.mark.parametrize(("boxes", "kind"), [(4, "flow row"), (7, "flow")])
def test_boxes_stand_in_a_row_if_all_of_them_fit(boxes: int, kind: str) -> None:
    stations = [station for _ in range(boxes) for station in ("times", box("scores", torch.zeros(6, 6)))]

    assert html.fragment_fromstring(flow(*stations, caption="A few boxes").page).xpath("//ol/@class") == [kind]


def test_who_reads_the_file_gets_a_list(drawn: Figure) -> None:
    assert drawn.text == "Two boxes\n\n- **inputs** (6, 3)\n- all <pairs>\n- **scores** (6, 6)\n"

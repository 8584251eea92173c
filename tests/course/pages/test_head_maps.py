"""Maps of where heads look: a shaded cell for each weight, and in words where each token looks most."""

import re

import torch
from lxml import html

from course.attention.pages.head_maps import head_maps

BACK = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, 0.9, 0.0]])
DRAWN = head_maps({"looks <back>": BACK, "looks at itself": torch.eye(3)}, ("a", "b", "<"), "Two heads")
PAGE = html.fragment_fromstring(DRAWN.page)


def test_each_head_has_a_map_with_its_name() -> None:
    assert PAGE.xpath("//p/text()") == ["looks <back>", "looks at itself"]
    assert PAGE.xpath("//svg[@role='img']/title/text()") == [
        "The weights of looks <back>",
        "The weights of looks at itself",
    ]


def test_a_cell_stands_in_the_row_of_the_query_and_the_column_of_the_key() -> None:
    shades = PAGE.xpath("//svg")[0].xpath("path[@class='shade']")
    places = {shade.get("fill-opacity"): re.findall(r"M(\d+) (\d+)h", shade.get("d")) for shade in shades}

    assert places == {"0.1": [("0", "20")], "0.9": [("10", "20")], "1.0": [("0", "0"), ("0", "10")]}


def test_framed_cells_are_outlined_in_each_map_and_otherwise_where_the_head_looks_elsewhere() -> None:
    page = html.fragment_fromstring(
        head_maps({"one": BACK, "other": torch.eye(3)}, ("a", "b", "c"), "Two heads", framed=((2, 1),)).page
    )

    drawn = [(path.get("class"), path.get("d")[:6]) for path in page.xpath("//path[contains(@class, 'frame')]")]
    assert drawn == [("frame", "M10 20"), ("frame elsewhere", "M10 20")]
    assert PAGE.xpath("//path[contains(@class, 'frame')]") == []


def test_tokens_stand_above_and_on_the_left() -> None:
    assert PAGE.xpath("//svg")[0].xpath("text/text()") == ["a", "b", "<"] * 2


def test_who_reads_the_file_is_told_where_each_token_looks_most() -> None:
    assert "- looks <back>: a1 at a1, b2 at a1, <3 at b2" in DRAWN.text

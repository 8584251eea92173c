"""Maps: a cell for each share, its labels, and a frame around chosen cells."""

import numpy as np
from lxml import html

from course.attention.pages.weight_map import draw_map

SHARES = np.array([[1.0, 0.0], [0.26, 0.74]])
MAP = html.fragment_fromstring(draw_map(SHARES, ("a", "<b>"), "one & all", [(1, 0), (0, 0)]))


def test_a_cell_is_as_strong_as_its_share_and_nothing_stands_where_there_is_none() -> None:
    drawn = {path.get("fill-opacity"): path.get("d") for path in MAP.xpath("path[@class='shade']")}

    assert drawn == {"0.26": "M0 10h10v10h-10z", "0.74": "M10 10h10v10h-10z", "1.0": "M0 0h10v10h-10z"}


def test_labels_stand_above_and_on_the_left_as_text() -> None:
    assert MAP.xpath("text/text()") == ["a", "<b>"] * 2


def test_a_map_has_a_name_for_those_who_do_not_see_it() -> None:
    assert (MAP.get("role"), MAP.findtext("title")) == ("img", "one & all")


def test_chosen_cells_are_framed_and_no_frame_is_empty() -> None:
    bare = html.fragment_fromstring(draw_map(SHARES, ("a", "b"), "bare"))

    assert MAP.xpath("path[@class='frame']/@d") == ["M0 0h10v10h-10z"]
    assert bare.xpath("path[contains(@class, 'frame')]") == []


def test_a_frame_in_a_row_that_has_most_elsewhere_is_another() -> None:
    assert MAP.xpath("path[@class='frame elsewhere']/@d") == ["M0 10h10v10h-10z"]

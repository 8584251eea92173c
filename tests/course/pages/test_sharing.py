"""Pictures of which query head asks which head of keys and values."""

import re

import pytest

from course.attention.pages.sharing import sharing


def ends_of_lines(count: int) -> list[int]:
    """Return where each of four query heads' lines ends, on the row of keys and values."""
    return [int(x) for x in re.findall(r'L(\d+) \d+"/>', sharing(4, {"shared": count}, "heads").page)]


@pytest.mark.parametrize("count", [4, 2, 1])
def test_every_query_head_has_one_line(count: int) -> None:
    assert len(ends_of_lines(count)) == 4


@pytest.mark.parametrize("count", [4, 2, 1])
def test_lines_end_at_as_many_heads_as_there_are_to_share(count: int) -> None:
    assert len(set(ends_of_lines(count))) == count


def test_neighbours_share() -> None:
    first, second, third, last = ends_of_lines(2)

    assert first == second < third == last


def test_a_group_has_one_colour() -> None:
    groups = re.findall(r'<g class="chosen (head-\d)">(.*?)</g>', sharing(4, {"shared": 2}, "heads").page)

    assert [(colour, drawn.count("<circle")) for colour, drawn in groups] == [("head-1", 3), ("head-2", 3)]


def test_each_way_to_share_has_a_panel_with_its_name() -> None:
    page = sharing(4, {"all & own": 4, "one": 1}, "heads").page

    assert re.findall(r"<strong>(.*?)</strong>", page) == ["all &amp; own", "one"]


def test_a_panel_says_in_words_who_asks_whom() -> None:
    assert 'aria-label="query head 0 asks head 0, query head 1 asks head 0"' in sharing(2, {"one": 1}, "heads").page


def test_in_a_file_sharing_is_a_line_for_each_way() -> None:
    text = sharing(2, {"own": 2, "one": 1}, "heads").text

    assert "- own: query head 0 asks head 0, query head 1 asks head 1" in text
    assert "- one: query head 0 asks head 0, query head 1 asks head 0" in text

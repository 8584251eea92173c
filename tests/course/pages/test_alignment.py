"""Pictures of a query and a key: the angle between two vectors, and their dot product."""

import re

import torch

from course.attention.pages.alignment import alignment

EAST, NORTH = torch.tensor([2.0, 0.0]), torch.tensor([0.0, 2.0])


def turns(page: str) -> list[float]:
    return [float(degrees) for degrees in re.findall(r"rotate\((.*?)\)", page)]


def lengths(page: str) -> list[float]:
    """How far each arrow reaches, in units of the picture."""
    return [max(map(float, re.findall(r"([\d.]+),", points))) for points in re.findall(r'points="(.*?)"', page)]


def test_each_pair_has_a_panel_with_its_name_and_its_dot_product() -> None:
    page = alignment({"same": (EAST, EAST), "right angle": (EAST, NORTH)}, "two pairs").page
    below = re.findall(r"<strong>(.*?)</strong> <span>(.*?)</span>", page)

    assert below == [("same", "4.0000"), ("right angle", "0.0000")]


def test_the_query_is_drawn_before_the_key_and_upwards_is_a_turn_to_the_left() -> None:
    page = alignment({"right angle": (EAST, NORTH)}, "one pair").page

    assert re.findall(r'<polygon class="(\w+)"', page) == ["query", "key"]
    assert turns(page) == [0.0, -90.0]


def test_all_panels_have_one_scale() -> None:
    page = alignment({"long": (EAST, EAST), "short": (EAST / 2, EAST)}, "two pairs").page
    long, _, short, _ = lengths(page)

    assert short == long / 2


def test_a_panel_is_as_high_as_its_arrows_need() -> None:
    page = alignment({"right angle": (EAST, NORTH)}, "one pair").page

    assert 'viewBox="-80 -80 160 88"' in page


def test_the_words_give_both_vectors_and_their_dot_product() -> None:
    text = alignment({"opposite": (EAST, -EAST)}, "one pair").text

    assert "- opposite: query (2.0000, 0.0000), key (−2.0000, 0.0000), dot product −4.0000" in text


def test_a_name_is_text_and_never_html() -> None:
    assert "<strong>&lt;b&gt;</strong>" in alignment({"<b>": (EAST, NORTH)}, "one pair").page

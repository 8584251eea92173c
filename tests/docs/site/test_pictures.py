"""Pictures of the lectures, as a phone shows them."""

import pytest
from opened_site import Open

pytestmark = pytest.mark.slow


def test_a_phone_shows_one_map_of_a_head_a_row(open_site: Open) -> None:
    maps = open_site("lectures/reading_heads/", width=375).page.locator(".maps").first.locator("> div")
    lefts = maps.evaluate_all("maps => maps.map(map => map.getBoundingClientRect().x)")

    assert len(lefts) > 1
    assert len(set(lefts)) == 1

"""Pictures of the lectures, as a phone shows them."""

import pytest
from opened_site import Open

pytestmark = pytest.mark.slow

READABLE = 12
"""Pixels: smaller type is hard to read."""

TABLES = """() => [...document.querySelectorAll(".matrix table")].map(table => ({
  size: parseFloat(getComputedStyle(table).fontSize), width: table.offsetWidth,
  room: table.closest(".scrolling").clientWidth, caption: table.closest("figure").innerText.slice(-60),
}))"""


def test_a_phone_shows_one_map_of_a_head_a_row(open_site: Open) -> None:
    maps = open_site("lectures/reading_heads/", width=375).page.locator(".maps").first.locator("> div")
    lefts = maps.evaluate_all("maps => maps.map(map => map.getBoundingClientRect().x)")

    assert len(lefts) > 1
    assert len(set(lefts)) == 1


def test_numbers_on_a_phone_are_as_large_as_fits(open_site: Open) -> None:
    opened = open_site(width=375, scripts=False)
    tables = [(path, one) for path in opened.site.lectures for one in opened.visit(path).evaluate(TABLES)]

    assert len(tables) > 50
    assert [(path, one) for path, one in tables if one["width"] > one["room"]] == []
    small = [(path, one) for path, one in tables if one["size"] < READABLE]
    assert [(path, one) for path, one in small if one["width"] * READABLE / one["size"] < 0.98 * one["room"]] == []


MARGINS = """() => [...document.querySelectorAll("article > .figure :is(table:only-child, .flow)")].map(one => {
  const [inner, outer] = [one.getBoundingClientRect(), one.closest(".figure").getBoundingClientRect()];
  return [inner.left - outer.left, outer.right - inner.right];
})"""


SIGHTS = """() => [...document.querySelectorAll(".sight")].map(table => [table.offsetWidth, table.parentElement.clientWidth])"""


def test_what_is_to_be_guessed_is_seen_on_the_narrowest_phone(open_site: Open) -> None:
    opened = open_site(width=320, scripts=False)
    sights = [one for path in opened.site.lectures for one in opened.visit(path).evaluate(SIGHTS)]

    assert len(sights) >= 5
    assert [(table, room) for table, room in sights if table > room] == []


LINES = """() => [...document.querySelectorAll(".model-sheet .box span")].map(shape => [
  shape.getClientRects().length, shape.getBoundingClientRect().right < shape.parentElement.getBoundingClientRect().right,
])"""


def test_a_shape_in_a_box_is_whole_on_the_narrowest_phone(open_site: Open) -> None:
    shapes = open_site("lectures/live_gpt/", width=320, scripts=False).page.evaluate(LINES)

    assert len(shapes) > 10
    assert [one for one in shapes if one != [1, True]] == []


def test_what_is_narrower_than_the_text_stands_in_the_middle(open_site: Open) -> None:
    opened = open_site(scripts=False)
    margins = [one for path in opened.site.lectures for one in opened.visit(path).evaluate(MARGINS)]

    assert max(left for left, _ in margins) > 200
    assert [(left, right) for left, right in margins if abs(left - right) > 1] == []


HEIGHTS = """() => [...document.querySelectorAll(".matrix tbody tr")].map(row => {
  const middle = cell => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    const { top, height } = words.getBoundingClientRect();
    return top + height / 2;
  };
  const { top, height } = row.cells[1].getBoundingClientRect();
  const isMiddle = getComputedStyle(row.cells[1]).verticalAlign === "middle";
  return { height: row.offsetHeight, off: top + height / 2 - middle(row.cells[0]), isMiddle };
})"""


def test_on_a_phone_numbers_stand_beside_the_middle_of_a_label_of_two_lines(open_site: Open) -> None:
    rows = open_site("lectures/batches/", width=320, scripts=False).page.evaluate(HEIGHTS)

    assert max(row["height"] for row in rows) > 1.5 * min(row["height"] for row in rows)
    assert [row for row in rows if abs(row["off"]) > 2 or not row["isMiddle"]] == []


def test_sliders_one_below_the_other_are_equally_long(open_site: Open) -> None:
    widget = open_site().page.locator("weighted-sum")
    widget.scroll_into_view_if_needed()  # it starts when it comes near
    sliders = widget.locator("input[type=range]")
    sliders.first.wait_for()
    boxes = sliders.evaluate_all("all => all.map(one => [one.getBoundingClientRect().x, one.offsetWidth])")

    assert len(boxes) == 2
    assert boxes[0] == boxes[1]


KEYS = """() => [...document.querySelectorAll("figcaption .shades")].map(key => {
  const words = document.createRange();
  words.setStart(key.parentElement, 0);
  words.setEndBefore(key);
  return key.getBoundingClientRect().top - words.getBoundingClientRect().bottom;
})"""


def test_the_key_of_the_shades_stands_below_the_caption(open_site: Open) -> None:
    gaps = open_site("lectures/batches/", width=375, scripts=False).page.evaluate(KEYS)

    assert len(gaps) > 2
    assert min(gaps) > -3

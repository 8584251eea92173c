"""Charts of growth: lines rise as their numbers do, and every number stands in a table."""

from itertools import pairwise

import pytest
from lxml import html

from autograder.site.curves import curves

LINES = {"linear": (1, 2, 3, 4), "<square>": (1, 4, 9, 16.5)}
AT = (10, 20, 30, 40)

Point = tuple[float, ...]


def lines_in(page: str) -> list[list[Point]]:
    """Return the corners of the lines of a chart."""
    found = html.fragment_fromstring(page).xpath("//polyline/@points")
    return [[tuple(map(float, pair.split(","))) for pair in str(points).split()] for points in found]


def steps_of(line: list[Point]) -> list[Point]:
    return [(after[0] - before[0], before[1] - after[1]) for before, after in pairwise(line)]


def test_what_grows_evenly_is_a_straight_line() -> None:
    steps = steps_of(lines_in(curves(LINES, AT, "Growth", unit="numbers").page)[0])

    assert steps == [pytest.approx(steps[0], abs=0.2)] * 3


def test_on_logarithmic_axes_the_square_is_a_line_twice_as_steep() -> None:
    powers = {"linear": (1, 10, 100), "square": (1, 100, 10_000)}
    linear, square = map(steps_of, lines_in(curves(powers, (1, 10, 100), "Growth", unit="x", logarithmic=True).page))

    assert [up for _, up in square] == pytest.approx([2 * up for _, up in linear], abs=0.3)
    assert linear[0] == pytest.approx(linear[1], abs=0.2)


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [(17.1, ["0", "5", "10", "15", "20"]), (0.36, ["0", "0.1", "0.2", "0.3", "0.4"]), (4, ["0", "1", "2", "3", "4"])],
)
def test_the_upward_axis_has_round_numbers(largest: float, ticks: list[str]) -> None:
    page = html.fragment_fromstring(curves({"a": (0.1, largest)}, (1, 2), "Growth", unit="x").page)

    assert page.xpath("//svg[@role]//text[@text-anchor='end']/text()")[:-1] == ticks


def test_lines_differ_in_their_marks_and_not_only_in_colour() -> None:
    page = html.fragment_fromstring(curves(LINES, AT, "Growth", unit="numbers").page)
    marks = [set(group.xpath("path/@d")) for group in page.xpath("//g")]
    legend = [set(name.xpath(".//path/@d")) for name in page.xpath("//li")]

    assert marks == legend
    assert marks[0] != marks[1]
    assert page.xpath("//li//text()") == ["linear", "<square>"]


def test_the_table_has_every_number() -> None:
    page = html.fragment_fromstring(curves(LINES, AT, "Growth", unit="numbers").page)
    rows = [[cell.text for cell in row] for row in page.xpath("//tr")]

    assert rows[0] == ["tokens", "linear", "<square>"]
    assert rows[-1] == ["40", "4", "16.5\N{FIGURE SPACE}"]
    assert len(rows) == 5


def test_the_chart_has_its_caption_as_a_name() -> None:
    page = html.fragment_fromstring(curves(LINES, AT, "Growth", unit="numbers").page)

    assert page.xpath("string(//svg[@role='img']/@aria-label)") == page.findtext("figcaption") == "Growth"


def test_a_chart_in_words_is_its_table() -> None:
    text = curves({"a": (1, 2048)}, (1, 2), "Growth", unit="numbers", along="steps").text

    assert text == "Growth\n\nnumbers:\n\n| steps | a |\n| --- | --- |\n| 1 | 1 |\n| 2 | 2\N{NO-BREAK SPACE}048 |\n"

"""Pictures of what is read from a large memory and written to it."""

import re

from course.attention.pages.memory_traffic import memory_traffic

STEPS = {"scores": (10.0, 400.0), "softmax & mask": (400.0, 0.0)}


def drawn() -> str:
    return memory_traffic("large", "small", STEPS, "traffic", most=400.0).page


def arrows() -> list[list[tuple[float, float]]]:
    """Return the corners of each arrow."""
    points = re.findall(r'<polygon points="(.*?)"/>', drawn())
    return [[(float(x), float(y)) for x, y in (corner.split(",") for corner in one.split())] for one in points]


def thickness(arrow: list[tuple[float, float]]) -> float:
    return arrow[-1][0] - arrow[0][0]


def test_nothing_moved_has_no_arrow() -> None:
    assert len(arrows()) == 3


def test_reading_points_down_and_writing_up() -> None:
    assert [arrow[3][1] > arrow[0][1] for arrow in arrows()] == [True, False, True]


def test_arrows_of_one_amount_are_equally_thick_and_a_smaller_one_is_thinner() -> None:
    little, much, as_much = map(thickness, arrows())

    assert little < much == as_much


def test_memories_and_steps_have_their_names() -> None:
    assert re.findall(r"<text .*?>(.*?)</text>", drawn()) == ["large", "small", "scores", "softmax &amp; mask"]


def test_in_a_file_traffic_is_a_line_for_each_step() -> None:
    text = memory_traffic("large", "small", STEPS, "traffic", most=400.0).text

    assert "- scores: 10 bytes read, 400 bytes written" in text.replace("\N{NO-BREAK SPACE}", " ")

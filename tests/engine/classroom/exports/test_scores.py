"""How points are written."""

import pytest

from autograder.classroom.exports.scores import shown


@pytest.mark.parametrize(
    ("points", "text"), [(25.0, "25"), (41.5, "41.5"), (3.333, "3.33"), (0.0, "0"), (100.0, "100")]
)
def test_points_are_written_without_needless_zeros(points: float, text: str) -> None:
    assert shown(points) == text

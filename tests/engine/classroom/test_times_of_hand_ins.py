"""When a part was handed in: the moments that a hand-in names."""

import pytest

from autograder.classroom.lateness import read_time


@pytest.mark.parametrize(
    "text", ["9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", "9999-01-01", "never", "2026-13-01"]
)
def test_what_names_no_moment_in_every_zone_names_none(text: str) -> None:
    assert read_time(text) is None


def test_a_moment_without_a_zone_is_of_utc() -> None:
    moment = read_time("2026-11-20 12:00:00")

    assert moment
    assert moment.isoformat() == "2026-11-20T12:00:00+00:00"

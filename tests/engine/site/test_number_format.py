"""Amounts of memory are read at a glance."""

import pytest

from autograder.site.number_format import memory


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (144, "144 bytes"),
        (4_000_000, "4 MB"),
        (524_288, "524 kB"),
        (6_400_000_000, "6.4 GB"),
        (640_000_000_000, "640 GB"),
        (2.5e16, "25000 TB"),
    ],
)
def test_memory_is_told_in_the_unit_that_fits(size: float, text: str) -> None:
    assert memory(size) == text

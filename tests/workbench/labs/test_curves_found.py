"""What labs have in common: lengths, numbers in sentences, which parts they need, and a record that comes back as it was."""

from pathlib import Path

import pytest

from autograder.workspace import Workspace
from workbench.labs import LABS
from workbench.labs.lab import Curves, brief, doubling_lengths, even_lengths, rounded
from workbench.labs.record import Record, read_record, write_record


def test_even_lengths_grow_by_the_same_step() -> None:
    assert even_lengths(512, 4) == (128, 256, 384, 512)


def test_doubling_lengths_end_with_the_longest() -> None:
    assert doubling_lengths(512, 4) == (64, 128, 256, 512)


def test_growth_is_the_last_number_by_the_first() -> None:
    assert Curves("numbers", (1, 2, 4), {"a": (3, 5, 12)}).growth("a") == 4


@pytest.mark.parametrize(
    ("number", "text"), [(1.234, "1.2"), (4.0, "4"), (33.4, "33"), (1024, "1\N{NO-BREAK SPACE}024")]
)
def test_a_sentence_has_few_digits(number: float, text: str) -> None:
    assert brief(number) == text


def test_a_measurement_has_three_digits() -> None:
    assert rounded(0.0123456) == 0.0123


def test_a_lab_needs_each_part_once() -> None:
    assert LABS["cache-speed"].parts == ["part5_inference"]
    assert LABS["against-torch"].parts == ["part2_trainable", "part5_inference"]


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    record = Record("a machine", "2026-11-21", {"a-lab": (Curves("numbers", (1, 2), {"a": (3, 4.5)}),)})

    write_record(record, tmp_path / "measured.json")

    assert read_record(tmp_path / "measured.json") == record


def test_the_record_that_pages_draw_is_of_labs_that_exist(course: Workspace) -> None:
    record = read_record(course.root / "docs" / "labs" / "measured.json")

    assert set(record.labs) < set(LABS)
    for name, found in record.labs.items():
        assert LABS[name].says(found).startswith(("From ", "At "))

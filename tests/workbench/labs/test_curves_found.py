"""What labs have in common: lengths, numbers in sentences, which parts they need, and a record that comes back as it was."""

from pathlib import Path

import pytest

from autograder.workspace import Workspace
from workbench.labs import LABS
from workbench.labs.lab import Curves, brief
from workbench.labs.record import Record, read_record, write_record


@pytest.mark.parametrize(
    ("number", "text"), [(1.234, "1.2"), (4.0, "4"), (33.4, "33"), (1024, "1\N{NO-BREAK SPACE}024")]
)
def test_a_sentence_has_few_digits(number: float, text: str) -> None:
    assert brief(number) == text


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    record = Record("a machine", "2026-11-21", {"a-lab": (Curves("numbers", (1, 2), {"a": (3, 4.5)}),)})

    write_record(record, tmp_path / "measured.json")

    assert read_record(tmp_path / "measured.json") == record


def test_the_record_that_pages_draw_is_of_labs_that_exist(course: Workspace) -> None:
    record = read_record(course.root / "docs" / "labs" / "measured.json")

    assert set(record.labs) < set(LABS)
    for name, found in record.labs.items():
        assert LABS[name].says(found).startswith(("From ", "At "))

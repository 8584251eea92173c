"""Reading a student's folder: every module, and why a part cannot be read."""

from pathlib import Path

import pytest

from autograder.submission.model import LARGEST_FILE, read_folder

PART = "part1_simplified"


def test_all_modules_of_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / f"{PART}.py").write_bytes(b"\xef\xbb\xbfone = 1\n")
    (tmp_path / "own_tools.py").write_bytes(b"# coding: latin-1\n# caf\xe9\n")

    submission = read_folder(tmp_path, [PART])

    assert {name: source.text for name, source in submission.modules.items()} == {
        PART: "one = 1\n",
        "own_tools": "# coding: latin-1\n# café\n",
    }
    assert submission.problems == {}


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("", f"there is no exercises/{PART}.py. `attn reset {PART}` puts a fresh stub into exercises/."),
        (
            f"{PART}.ipynb",
            f"but a notebook: each of its steps is marked when you run its cell. `attn show --notebook {PART}`",
        ),
    ],
)
def test_a_missing_part_is_a_problem_with_its_way_out(tmp_path: Path, other: str, says: str) -> None:
    if other:
        (tmp_path / other).touch()

    assert says in read_folder(tmp_path, [PART], "exercises").problems[PART].message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"# one\n# caf\xe9\n", "Save it as UTF-8"),
        (b"# coding: nobody-knows-it\n", "is not UTF-8 text"),
        (b"# coding: hex\n", "is not UTF-8 text"),
        (b"# coding: unicode_escape\n\\ud800", "is not UTF-8 text"),
        (b"# coding: utf-7\n+2AA-", "is not UTF-8 text"),
        (b"# coding: utf-8\n\xe9", "is not UTF-8 text"),
        (b"#" * (LARGEST_FILE + 1), "has more than 100,000 bytes"),
    ],
)
def test_a_file_that_is_no_text_is_a_problem(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / f"{PART}.py").write_bytes(content)

    assert says in read_folder(tmp_path, [PART]).problems[PART].message


def test_a_folder_in_place_of_a_part_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / f"{PART}.py").mkdir()

    assert "could not be read" in read_folder(tmp_path, [PART]).problems[PART].message

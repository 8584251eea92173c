"""Reading a student's folder: every module, and why a part cannot be read."""

from pathlib import Path

import pytest

from autograder.submission.model import LARGEST_FILE, read_folder

PARTS = ["part1_simplified"]


def test_all_modules_of_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").write_text("one = 1\n")
    (tmp_path / "own_tools.py").write_text("two = 2\n")

    submission = read_folder(tmp_path, PARTS)

    assert {name: source.blocks[0].text for name, source in submission.modules.items()} == {
        "part1_simplified": "one = 1\n",
        "own_tools": "two = 2\n",
    }
    assert submission.problems == {}


def test_a_missing_part_is_told_with_the_way_to_get_it(tmp_path: Path) -> None:
    problem = read_folder(tmp_path, PARTS, "exercises").problems["part1_simplified"]

    assert problem.kind == "missing"
    assert problem.message == (
        "there is no exercises/part1_simplified.py. `attn reset part1_simplified` puts a fresh stub into exercises/."
    )


def test_in_a_folder_of_notebooks_the_way_of_notebooks_is_told(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.ipynb").write_text("{}", encoding="utf-8")

    problem = read_folder(tmp_path, PARTS, "notebooks").problems["part1_simplified"]

    assert problem.message == (
        "there is no notebooks/part1_simplified.py, but a notebook: each of its steps is marked when you run its cell. "
        "`attn notebook part1_simplified` opens it."
    )


def test_a_part_whose_name_has_other_letters_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "Part1_Simplified.py").write_text("one = 1\n", encoding="utf-8")

    problem = read_folder(tmp_path, PARTS, "exercises").problems["part1_simplified"]

    assert problem.message == (
        "there is no exercises/part1_simplified.py, but a Part1_Simplified.py. Rename it: the letters are small ones."
    )


def test_a_file_that_is_not_utf8_is_told_with_byte_and_line(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").write_bytes(b"# one\n# caf\xe9\n")

    problem = read_folder(tmp_path, PARTS).problems["part1_simplified"]

    assert "byte 0xe9 in line 2" in problem.message
    assert "Save it as UTF-8" in problem.message


def test_a_file_is_read_in_the_encoding_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").write_bytes(b"# coding: latin-1\n# caf\xe9\n")

    assert read_folder(tmp_path, PARTS).modules["part1_simplified"].text == "# coding: latin-1\n# café\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("nobody-knows-it", b""),
        ("hex", b""),
        ("unicode_escape", b"\\ud800"),
        ("utf-7", b"+2AA-"),
        ("utf-8", b"\xe9"),
    ],
)
def test_an_encoding_in_which_a_file_is_no_text_is_told(tmp_path: Path, encoding: str, text: bytes) -> None:
    (tmp_path / "part1_simplified.py").write_bytes(f"# coding: {encoding}\n".encode() + text)

    assert "is not UTF-8 text" in read_folder(tmp_path, PARTS).problems["part1_simplified"].message


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").write_bytes(b"\xef\xbb\xbfone = 1\n")

    assert read_folder(tmp_path, PARTS).modules["part1_simplified"].blocks[0].text == "one = 1\n"


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").write_bytes(b"#" * (LARGEST_FILE + 1))

    assert "100,001 bytes" in read_folder(tmp_path, PARTS).problems["part1_simplified"].message


def test_a_folder_in_place_of_a_part_is_told(tmp_path: Path) -> None:
    (tmp_path / "part1_simplified.py").mkdir()

    assert "could not be read" in read_folder(tmp_path, PARTS).problems["part1_simplified"].message

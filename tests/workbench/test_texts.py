"""A text to train on is read, and one that cannot be used is refused."""

from pathlib import Path

import pytest

from workbench.texts import SHORTEST, CannotRead, read_text


def test_a_file_is_read_without_its_mark_and_with_plain_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes(b"\xef\xbb\xbf" + 500 * "né\r\n".encode())

    assert read_text(path) == 500 * "né\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", f"own.txt has 0 characters; .* needs at least {SHORTEST:,}"),
        (b"too short", "own.txt has 9 characters"),
        (SHORTEST * b"a" + b"\xff", f"own.txt is not UTF-8 text: byte {SHORTEST:,} is invalid. Save it as UTF-8."),
    ],
)
def test_a_file_that_is_no_text_to_learn_from_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "own.txt"
    path.write_bytes(content)

    with pytest.raises(CannotRead, match=said):
        read_text(path)

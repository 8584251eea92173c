"""Reading a student's folder: every module, and why a part cannot be read."""

import ast
import unicodedata
from pathlib import Path

import pytest

from autograder.submission import model as submission
from autograder.submission.model import (
    LARGEST_FILE,
    Source,
    Submission,
    as_python_reads,
    parse,
    parsing_at_most,
    read_folder,
    statements_in,
)

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


def test_the_words_of_a_file_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part that sits asks which modules its code names, and so does the digest of its marks."""
    read: list[str] = []
    monkeypatch.setattr(submission, "_words", lambda text: read.append(text) or set(text.split()))
    handed_in = Submission("ada", {name: Source.module(f"{name}.py", f"import {name[::-1]}") for name in ("ab", "ba")})

    assert [handed_in.code_of(part).keys() for part in ("ab", "ba", "ab")] == [{"ab", "ba"}] * 3
    assert sorted(read) == ["import ab", "import ba"]


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
        ("punycode", b"x-"),
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


@pytest.mark.parametrize("statement", ["import a{}", "from a{} import b"])
def test_a_name_of_which_python_would_make_gigabytes_is_not_parsed(statement: str) -> None:
    with pytest.raises(SyntaxError, match="more than 200 dots"):
        parse(statement.format(" .\\\n a" * 15_000))


def test_many_dots_that_are_no_name_are_parsed() -> None:
    assert parse("x = [" + "1.5, a.b, " * 500 + "]\nfrom ..." + "." * 500 + " import y").body


def test_no_more_is_parsed_than_is_allowed() -> None:
    with parsing_at_most(12) as allowance:
        parse("x = 1")
        parse("y = 22")
        assert not allowance.spent
        with pytest.raises(SyntaxError, match="more is to be read"):
            parse("z = 3")

    assert allowance.spent
    assert parse("z = 3").body


def test_statements_are_found_wherever_they_stand() -> None:
    text = """
import a
class Layer:
    def forward(self, x):
        with x:
            while x:
                import b
            else:
                import c
        try:
            import d
        except* ValueError:
            import e
        else:
            import f
        finally:
            import g
        match x:
            case 1:
                if x:
                    pass
                elif x:
                    import h
        async def inner():
            async for one in x:
                import i
"""
    found = [name.name for node in statements_in(parse(text)) if isinstance(node, ast.Import) for name in node.names]

    assert sorted(found) == [*"abcdefghi"]


@pytest.mark.parametrize("digits", ["0x" + "f" * 5_000, "0B" + "1" * 20_000, "0o" + "_7" * 6_000])
def test_an_integer_that_python_refuses_to_write_is_no_python(digits: str) -> None:
    with pytest.raises(SyntaxError, match="3,000 digits"):
        parse(f"unused = {digits}")


@pytest.mark.parametrize("written", ["ｏｓ", "cafe\u0301", "ℌ"])
def test_names_are_read_as_python_reads_them(written: str) -> None:
    assert as_python_reads(f"import {written}") == f"import {unicodedata.normalize('NFKC', written)}"


def test_a_long_row_of_marks_is_put_in_order_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    monkeypatch.setattr(unicodedata, "normalize", lambda form, text: pieces.append(len(text)) or text)

    as_python_reads("#" + "\u0301\u0316" * 10_000)

    assert sum(pieces) >= 20_000
    assert max(pieces) <= 101

"""Exam files: what is written is read again, to the bit, and nothing else is taken for an exam."""

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autograder.course import codec
from autograder.exam.files import NotAnExam, read_exam, write_exam
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.workspace import Workspace

PART = "part3_causal"
LARGEST = 4_000_000  # bytes: it is in every clone and every release


@pytest.fixture(scope="module")
def written(practice: Exam) -> Exam:
    return practice


@pytest.fixture(scope="module")
def path(written: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exams") / "of another seed" / "an.exam"
    write_exam(written, path)
    return path


@pytest.fixture(scope="module")
def found(path: Path) -> Exam:
    return read_exam(path)


def test_an_exam_is_read_to_the_bit(written: Exam, found: Exam) -> None:
    assert codec.encode((found.syllabus, found.paper, found.key)) == codec.encode(
        (written.syllabus, written.paper, written.key)
    )


def test_the_same_exam_gives_the_same_bytes(found: Exam, path: Path, tmp_path: Path) -> None:
    write_exam(found, tmp_path / "again.exam")
    assert (tmp_path / "again.exam").read_bytes() == path.read_bytes()


def test_the_practice_exam_is_small(course: Workspace) -> None:
    assert course.practice_exam.stat().st_size <= LARGEST


def test_only_the_parts_that_are_wanted_are_read(found: Exam, path: Path) -> None:
    some = read_exam(path, [PART])

    assert some.paper.cases
    assert {case.part for case in some.paper.cases} == {PART}
    assert {path for path in found.key.cases if path.startswith(f"{PART}.")} == set(some.key.cases)
    assert {path.partition(".")[0] for path in some.key.known_wrong} == {PART}
    assert (some.syllabus, some.digest) == (found.syllabus, found.digest)


def test_the_digest_names_the_content_of_the_file(found: Exam, path: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.exam"
    moved.write_bytes(path.read_bytes())
    assert read_exam(moved).digest == found.digest


def test_another_exam_has_another_digest(found: Exam, convolution_exam: Exam) -> None:
    assert found.digest != convolution_exam.digest


def test_inputs_that_lie_in_another_order_keep_their_numbers() -> None:
    array = np.arange(6.0).reshape(2, 3).T
    case = PaperCase("part", "step", "case", 1, True, {"x": array})
    (arrived,) = codec.decode(codec.encode(Paper((case,))), Paper).cases
    np.testing.assert_array_equal(arrived.inputs["x"], array)


# What is no exam


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotAnExam, match=r"there is no exam at .*nowhere\.exam"):
        read_exam(tmp_path / "nowhere.exam")


def test_a_folder_is_not_an_exam(tmp_path: Path) -> None:
    with pytest.raises(NotAnExam, match="is not an exam"):
        read_exam(tmp_path)


def with_field(content: bytes, **changed: object) -> bytes:
    """Return an exam's file with other fields."""
    return msgspec.msgpack.encode(msgspec.msgpack.decode(content) | changed)


def spoilt(content: bytes, place: int) -> bytes:
    """Return a file with other bytes at a place, of 42."""
    at = len(content) * place // 42
    return content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 8]) + content[at + 8 :]


SPOILT: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"an exam",
    "zeros": lambda _: b"\x00" * 1000,
    "a zip, of an earlier version": lambda _: b"PK\x05\x06" + b"\x00" * 18,
    "half": lambda content: content[: len(content) // 2],
    "nearly all": lambda content: content[:-9],
    "an earlier version": lambda content: with_field(content, schema="attn-exam/6"),
    "syllabus: not compressed": lambda content: with_field(content, syllabus=b"no syllabus"),
    "syllabus: a list": lambda content: with_field(content, syllabus=zlib.compress(codec.encode([]))),
    "a part missing": lambda content: with_field(content, parts={}),
    "a part of another form": lambda content: with_field(content, parts={PART: zlib.compress(codec.encode({}))}),
    **{f"bytes at {place} of 42": partial(spoilt, place=place) for place in (1, 11, 21, 31, 41)},
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_anything_else_is_not_an_exam_and_says_what_to_do(
    tmp_path: Path, path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    other = tmp_path / "spoilt.exam"
    other.write_bytes(spoil(path.read_bytes()))

    with pytest.raises(NotAnExam, match=r"spoilt\.exam is not an exam") as refused:
        read_exam(other)
    assert "was made by an earlier version" in str(refused.value)
    assert str(refused.value).endswith("set it again with `attn build --exam`, the practice exam with `attn build`")

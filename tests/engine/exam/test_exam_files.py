"""Exam files: what is written is read again, to the bit, and nothing else is taken for an exam."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import structs

from autograder.course import codec
from autograder.course.answer import Answer, TensorValue
from autograder.exam.build import build_exam
from autograder.exam.files import NotAnExam, read_exam, write_exam
from autograder.exam.model import Exam, Paper, PaperCase
from autograder.workspace import Workspace

PART = "part3_causal"
LARGEST = 4_000_000  # bytes: it is in every clone and every release


@pytest.fixture(scope="module")
def written(course: Workspace) -> Exam:
    """An exam on the parts that hold every kind of input, answer and mistake."""
    some = structs.replace(course.course, parts=("part2_trainable", "part3_causal", "part5_inference"))
    return build_exam(some, seed=4)


@pytest.fixture(scope="module")
def path(written: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exams") / "of another seed" / "an.exam"
    write_exam(written, path)
    return path


@pytest.fixture(scope="module")
def found(path: Path) -> Exam:
    return read_exam(path)


def _bits(value: object) -> object:
    """Return an array as something that compares by type, shape and bits; anything else as it is."""
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def _case(case: PaperCase) -> object:
    inputs = [(name, _bits(value)) for name, value in case.inputs.items()]
    return case.path, case.seed, case.gradients, inputs


def _answer(answer: Answer) -> object:
    outputs = [
        (name, (value.dtype, value.shape, _bits(value.array)) if isinstance(value, TensorValue) else value)
        for name, value in answer.outputs.items()
    ]
    gradients = [(name, _bits(gradient)) for name, gradient in answer.gradients.items()]
    return outputs, gradients, answer.changed_inputs, answer.gradient_error, answer.failure


def test_the_syllabus_is_read_as_it_was_written(written: Exam, found: Exam) -> None:
    assert found.syllabus == written.syllabus


def test_the_paper_is_read_to_the_bit(written: Exam, found: Exam) -> None:
    assert [_case(case) for case in found.paper.cases] == [_case(case) for case in written.paper.cases]


def test_the_expected_answers_are_read_to_the_bit(written: Exam, found: Exam) -> None:
    expected = {path: _answer(case.expected) for path, case in written.key.cases.items()}
    assert {path: _answer(case.expected) for path, case in found.key.cases.items()} == expected


def test_tolerances_shapes_and_tokens_are_read_as_they_were_written(written: Exam, found: Exam) -> None:
    def rest(exam: Exam) -> object:
        return {path: (case.tolerance, case.shapes, case.labels) for path, case in exam.key.cases.items()}

    assert rest(found) == rest(written)


def test_the_fingerprints_are_read_to_the_bit(written: Exam, found: Exam) -> None:
    def known(exam: Exam) -> object:
        return {
            step: [
                (one.id, one.step, one.says, {path: _answer(answer) for path, answer in one.signature.items()})
                for one in known_wrong
            ]
            for step, known_wrong in exam.key.known_wrong.items()
        }

    assert known(found) == known(written)


def test_the_same_exam_gives_the_same_bytes(written: Exam, path: Path, tmp_path: Path) -> None:
    write_exam(written, tmp_path / "again.exam")
    assert (tmp_path / "again.exam").read_bytes() == path.read_bytes()


def test_an_exam_on_the_whole_course_that_was_read_is_written_as_the_same_bytes(
    class_exam: Path, tmp_path: Path
) -> None:
    write_exam(read_exam(class_exam), tmp_path / "again.exam")
    assert (tmp_path / "again.exam").read_bytes() == class_exam.read_bytes()


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


def test_another_exam_has_another_digest(found: Exam, practice: Exam) -> None:
    assert found.digest != practice.digest


def test_a_paper_travels_without_its_key(written: Exam) -> None:
    arrived = codec.decode(codec.encode(written.paper), Paper)
    assert [_case(case) for case in arrived.cases] == [_case(case) for case in written.paper.cases]


def test_inputs_that_lie_in_another_order_keep_their_numbers() -> None:
    array = np.arange(6.0).reshape(2, 3).T
    case = PaperCase("part", "step", "case", 1, True, {"x": array})
    (arrived,) = codec.decode(codec.encode(Paper((case,))), Paper).cases
    np.testing.assert_array_equal(arrived.inputs["x"], array)


# What is no exam


def test_a_missing_file_is_told_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(NotAnExam, match=r"there is no exam at .*nowhere\.exam"):
        read_exam(tmp_path / "nowhere.exam")


def test_a_folder_is_not_an_exam(tmp_path: Path) -> None:
    with pytest.raises(NotAnExam, match="is not an exam"):
        read_exam(tmp_path)


@pytest.mark.parametrize("content", [b"", b"an exam", b"\x00" * 1000], ids=["empty", "text", "zeros"])
def test_a_file_of_another_kind_is_not_an_exam(tmp_path: Path, content: bytes) -> None:
    _assert_refused(tmp_path, content)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_half_an_exam_is_not_an_exam(tmp_path: Path, path: Path, kept: float) -> None:
    content = path.read_bytes()
    _assert_refused(tmp_path, content[: int(len(content) * kept)])


@pytest.mark.parametrize("place", range(20))
def test_an_exam_with_spoilt_bytes_is_not_an_exam(tmp_path: Path, path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    at = len(content) * (2 * place + 1) // 42
    content[at : at + 8] = bytes(byte ^ 0xFF for byte in content[at : at + 8])
    _assert_refused(tmp_path, bytes(content))


def _with(**changed: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda file: file | changed


def _without(field: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda file: {name: value for name, value in file.items() if name != field}


def _with_part(content: Callable[[dict[str, bytes]], bytes]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda file: file | {"parts": file["parts"] | {PART: content(file["parts"])}}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_with(syllabus=b"no syllabus"), id="syllabus: not compressed"),
        pytest.param(_with(syllabus=zlib.compress(codec.encode([]))), id="syllabus: a list"),
        pytest.param(_with(parts={}), id="a part missing"),
        pytest.param(_without("syllabus"), id="no syllabus"),
        pytest.param(_without("made_from"), id="no digests"),
        pytest.param(_with_part(lambda _: zlib.compress(codec.encode({}))), id="part: fields missing"),
        pytest.param(_with_part(lambda parts: parts[PART][:-9]), id="part: cut"),
        pytest.param(_with_part(lambda parts: parts["part2_trainable"]), id="part: another's"),
        pytest.param(_with_part(lambda _: zlib.compress(bytes(40_000_000))), id="part: too large"),
    ],
)
def test_an_exam_with_a_field_of_another_form_is_not_an_exam(
    tmp_path: Path, path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    file = msgspec.msgpack.decode(path.read_bytes())
    _assert_refused(tmp_path, msgspec.msgpack.encode(change(file)))


def test_an_exam_of_an_earlier_version_is_refused_in_one_line(tmp_path: Path, path: Path) -> None:
    old = tmp_path / "old.exam"
    old.write_bytes(msgspec.msgpack.encode(msgspec.msgpack.decode(path.read_bytes()) | {"schema": "attn-exam/6"}))

    with pytest.raises(NotAnExam) as refusal:
        read_exam(old)

    advice = "set it again with `attn exam`, the practice exam with `attn sync`"
    assert str(refusal.value) == f"{old} was made by an earlier version: {advice}"


def _assert_refused(folder: Path, content: bytes) -> str:
    path = folder / "spoilt.exam"
    path.write_bytes(content)
    with pytest.raises(NotAnExam, match=r"spoilt\.exam is not an exam") as refusal:
        read_exam(path)
    return str(refusal.value)

"""Exams as files: MessagePack, the syllabus and each part compressed by themselves; the same bytes for the same exam."""

import functools
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autograder.course import codec
from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam, Key, Paper, restricted_to
from autograder.exam.syllabus import Syllabus

SCHEMA = "attn-exam/7"

ZIP = b"PK"
"""The first bytes of earlier exams, which were zips."""

LARGEST_UNPACKED = 32_000_000
"""Bytes of a part, unpacked: fifteen times those of one with fifty cases."""


class NotAnExam(ExplainedError):
    """A file that should hold an exam does not; the message says what is wrong with it."""


@dataclass(frozen=True)
class _Schema:
    schema: str


@dataclass(frozen=True)
class _File(_Schema):
    """An exam's file. made_from: the digest of the sources by step path. parts: paper and key by the name of the part."""

    syllabus: bytes
    made_from: dict[str, str]
    parts: dict[str, bytes]


@dataclass(frozen=True)
class _Part:
    paper: Paper
    key: Key


def write_exam(exam: Exam, path: Path, mode: int = 0o666) -> None:
    """Write an exam to a file, whole or not at all. mode: who may read a new one. Raises OSError."""
    from autograder.atomic_write import atomic_write  # which a sandbox does not have, where exams are only read

    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path.resolve(), exam_to_bytes(exam), mode)


def read_exam(path: Path, parts: Iterable[str] | None = None) -> Exam:
    """Read an exam from a file. parts: those of which paper and key are wanted; all by default. Raises NotAnExam, for the user."""
    try:
        return exam_from_bytes(path.read_bytes(), None if parts is None else frozenset(parts))
    except FileNotFoundError:
        raise NotAnExam(f"there is no exam at {path}") from None
    except NotAnExam as error:
        raise NotAnExam(f"{path} {error}") from None
    except Exception as error:  # any error that zlib and msgspec may raise on untrusted bytes
        raise NotAnExam(f"{path} is not an exam ({type(error).__name__}: {error})") from error


@functools.lru_cache(maxsize=8)
def exam_from_bytes(content: bytes, parts: frozenset[str] | None = None) -> Exam:
    """Read an exam from the content of its file, once: that takes longer than most of what is done with it, and nothing changes one.

    parts: as `read_exam` takes them. Raises NotAnExam for an earlier version, ValueError and others.
    """
    if content.startswith(ZIP) or msgspec.msgpack.decode(content, type=_Schema).schema != SCHEMA:
        raise NotAnExam(
            "was made by an earlier version: set it again with `attn exam`, the practice exam with `attn sync`"
        )
    file = msgspec.msgpack.decode(content, type=_File)
    syllabus = codec.decode(_unpacked(file.syllabus), Syllabus)
    read = [
        _part(file.parts[part.name], {step.path for step in part.steps})
        for part in syllabus.parts
        if parts is None or part.name in parts
    ]
    paper = Paper(tuple(case for part in read for case in part.paper.cases))
    key = Key(
        {path: case for part in read for path, case in part.key.cases.items()},
        {path: known for part in read for path, known in part.key.known_wrong.items()},
    )
    return Exam(syllabus, paper, key, f"sha256:{hashlib.sha256(content).hexdigest()}", file.made_from)


def exam_to_bytes(exam: Exam) -> bytes:
    """Return the content of an exam's file."""
    parts = {}
    for part in exam.syllabus.parts:
        some = restricted_to(exam, {step.path for step in part.steps})
        parts[part.name] = zlib.compress(codec.encode(_Part(some.paper, some.key)))
    syllabus = zlib.compress(codec.encode(exam.syllabus))
    return msgspec.msgpack.encode(_File(SCHEMA, syllabus, dict(exam.made_from), parts))


def _part(content: bytes, steps: set[str]) -> _Part:
    """Read a part of these steps. Raises ValueError if its paper, its key and they do not belong together."""
    part = codec.decode(_unpacked(content), _Part)
    cases = [case.path for case in part.paper.cases]
    of_others = [case.path for case in part.paper.cases if f"{case.part}.{case.step}" not in steps]
    if of_others or cases != [*part.key.cases]:
        raise ValueError("its paper, its key and its syllabus do not belong together")
    return part


def _unpacked(content: bytes) -> bytes:
    stream = zlib.decompressobj()
    unpacked = stream.decompress(content, LARGEST_UNPACKED)
    if not stream.eof:
        raise ValueError(f"it is cut, or unpacks to more than {LARGEST_UNPACKED:,} bytes")
    return unpacked

"""Exams as files: MessagePack, the syllabus and each part compressed by themselves; the same bytes for the same exam."""

import functools
import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from autograder.course import codec
from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam, Key, Paper, joined, restricted_to
from autograder.exam.syllabus import Syllabus


class NotAnExam(ExplainedError):
    """A file that should hold an exam does not; the message says what is wrong with it."""


class _File(msgspec.Struct, tag_field="schema", tag="attn-exam/7"):
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
    except Exception as error:  # any that zlib and msgspec raise
        advice = "set it again with `attn exam`, the practice exam with `attn sync`"
        what = f"it was made by an earlier version, or is damaged; {advice}"
        raise NotAnExam(f"{path} is not an exam ({type(error).__name__}: {error}): {what}") from error


@functools.lru_cache(maxsize=8)
def exam_from_bytes(content: bytes, parts: frozenset[str] | None = None) -> Exam:
    """Read an exam from the content of its file, once: that takes longer than most of what is done with it, and nothing changes one.

    parts: as `read_exam` takes them. Raises any error that zlib and msgspec have.
    """
    file = msgspec.msgpack.decode(content, type=_File)
    syllabus = codec.decode(zlib.decompress(file.syllabus), Syllabus)
    names = [part.name for part in syllabus.parts if parts is None or part.name in parts]
    read = [codec.decode(zlib.decompress(file.parts[name]), _Part) for name in names]
    exam = joined(syllabus, [Exam(syllabus, part.paper, part.key) for part in read])
    return replace(exam, digest=f"sha256:{hashlib.sha256(content).hexdigest()}", made_from=file.made_from)


def exam_to_bytes(exam: Exam) -> bytes:
    """Return the content of an exam's file."""
    parts = {}
    for part in exam.syllabus.parts:
        some = restricted_to(exam, {step.path for step in part.steps})
        parts[part.name] = zlib.compress(codec.encode(_Part(some.paper, some.key)))
    syllabus = zlib.compress(codec.encode(exam.syllabus))
    return msgspec.msgpack.encode(_File(syllabus, dict(exam.made_from), parts))

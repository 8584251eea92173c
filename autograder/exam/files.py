"""Exam files, in MessagePack. The syllabus and each part are compressed separately.

Equal exams result in equal bytes.
"""

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
    """Raised for a file that is not a valid exam; the message gives the reason."""


class _File(msgspec.Struct, tag_field="schema", tag="attn-exam/7"):
    """The content of an exam file.

    syllabus: the compressed syllabus.
    made_from: the digest of the files from which a step's cases and answers are made, by step path.
    parts: the cases, expected answers and known mistakes, compressed, by part name.
    """

    syllabus: bytes
    made_from: dict[str, str]
    parts: dict[str, bytes]


@dataclass(frozen=True)
class _Part:
    paper: Paper
    key: Key


def write_exam(exam: Exam, path: Path, mode: int = 0o666) -> None:
    """Write an exam to a file atomically. mode: the permissions of a new file. Raises OSError."""
    from autograder.atomic_write import atomic_write  # missing in a sandbox, which only reads exams

    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path.resolve(), exam_to_bytes(exam), mode)


def read_exam(path: Path, parts: Iterable[str] | None = None) -> Exam:
    """Read an exam from a file.

    parts: the names of the parts whose paper and key are read; all parts by default.
    Raises NotAnExam, with a message for the user.
    """
    try:
        return exam_from_bytes(path.read_bytes(), None if parts is None else frozenset(parts))
    except FileNotFoundError:
        raise NotAnExam(f"there is no exam at {path}") from None
    except Exception as error:  # zlib and msgspec raise exceptions of many types
        advice = "set it again with `attn exam`, the practice exam with `attn sync`"
        what = f"it was made by an earlier version, or is damaged; {advice}"
        raise NotAnExam(f"{path} is not an exam ({type(error).__name__}: {error}): {what}") from error


@functools.lru_cache(maxsize=8)
def exam_from_bytes(content: bytes, parts: frozenset[str] | None = None) -> Exam:
    """Decode an exam from the content of its file.

    Results are cached, because decoding is slow and an exam never changes.
    parts: the names of the parts whose paper and key are read; all parts by default.
    Raises the errors of zlib and msgspec, and KeyError for a missing part.
    """
    file = msgspec.msgpack.decode(content, type=_File)
    syllabus = codec.decode(zlib.decompress(file.syllabus), Syllabus)
    names = [part.name for part in syllabus.parts if parts is None or part.name in parts]
    read = [codec.decode(zlib.decompress(file.parts[name]), _Part) for name in names]
    exam = joined(syllabus, [Exam(syllabus, part.paper, part.key) for part in read])
    return replace(exam, digest=f"sha256:{hashlib.sha256(content).hexdigest()}", made_from=file.made_from)


def exam_to_bytes(exam: Exam) -> bytes:
    """Encode an exam as the content of its file."""
    parts = {}
    for part in exam.syllabus.parts:
        some = restricted_to(exam, {step.path for step in part.steps})
        parts[part.name] = zlib.compress(codec.encode(_Part(some.paper, some.key)))
    syllabus = zlib.compress(codec.encode(exam.syllabus))
    return msgspec.msgpack.encode(_File(syllabus, dict(exam.made_from), parts))

"""Whatever a stranger sends: a reader takes it or refuses it in its own words, and takes no more memory than it may.

`make test` tries a few ways to damage something valid for each reader, always the same; `make test-all` tries hundreds, others each time.
"""

import contextlib
import functools
import gzip
import io
import json
import logging
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pytest
from damage import ALWAYS, AT_LENGTH, damaged
from hypothesis import given
from hypothesis import strategies as st
from watched import bounded, measured

from autograder.classroom.class_folder import Entry
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.classroom.results import to_bytes
from autograder.course import codec
from autograder.course.answer import Answer, Failure, PlainValue, TensorValue
from autograder.course.trace import Call, Made, Numbers, Operation, Stop, Trace
from autograder.exam.files import NotAnExam, exam_to_bytes, read_exam
from autograder.exam.model import restricted_to
from autograder.exam.syllabus import from_json
from autograder.grading.pictures import view_of
from autograder.grading.results import (
    Check,
    CriterionMarks,
    Diagnosis,
    Marks,
    NotMarks,
    PartMarks,
    Spot,
    StepMarks,
    marks_from_json,
)
from autograder.runner.answers import Answered, Loaded, Traced, decode_reply
from autograder.runner.wire import Closed, Garbled, Wire
from autograder.submission.model import Unreadable, module_source
from autograder.submission.notebook import read_notebook
from autograder.submission.parsed import parse
from autograder.submission.reading import read_hand_in
from autograder.workspace import COURSE

pytestmark = pytest.mark.slow

MB = 1 << 20

Read = Callable[[bytes, Path], object]


@dataclass(frozen=True)
class Reader:
    """A reader of a stranger's bytes.

    valid: such bytes. read: reads bytes, and may put them into an empty folder. refusal: what it raises on others; nothing if it
    reads whatever comes. most: bytes of memory that it may take beyond sixteen times what it reads.
    """

    name: str
    valid: Callable[[], bytes]
    read: Read
    refusal: tuple[type[Exception], ...] = ()
    most: int = 64 * MB


def _as_file(read: Callable[[Path], object], name: str) -> Read:
    """Read bytes as the content of a file of this name."""

    def run(content: bytes, folder: Path) -> object:
        (folder / name).write_bytes(content)
        return read(folder / name)

    return run


# What children send


class _Sent:
    """A socket on which these bytes have come, and then its end."""

    def __init__(self, content: bytes) -> None:
        self._stream = io.BytesIO(content)

    def settimeout(self, seconds: float | None) -> None:
        """Wait for nothing."""

    def recv(self, size: int) -> bytes:
        return self._stream.read(size)


def _frames(content: bytes, _: Path) -> object:
    wire = Wire(_Sent(content))
    while True:
        wire.receive()


ANSWER = Answer(
    outputs={
        "result": TensorValue("float32", (2, 1), np.array([[1.5], [np.nan]], dtype=np.float32)),
        "large": TensorValue("float32", (1000, 1000), None),
        "plain": PlainValue("bool", True),
    },
    gradients={"x": np.array([1.0, 2.0]), "y": None},
    changed_inputs=("x",),
    gradient_error="cut",
)
RAISED = Failure("raised", "ValueError: no", "ValueError", "part.py, line 3, in f\n    return 1 / 0")


def _trace() -> bytes:
    numbers = Numbers(np.arange(6, dtype=np.float32))
    product = Made("@", (-1,), ((2, 3),), 1, (numbers,))
    operations = tuple(Operation(0, "part.py", (1, 1, 4, 9), "f", made) for made in (product, product))
    call = Call("f", (("x", (2, 3)), ("n", "3")))
    stop = Stop(0, (("part.py", 3, "f"),), (("x", (2,)),), (0,))
    return codec.encode(Traced("part.step", Trace((call,), operations, stop, (1,))))


# What an exam holds


@functools.cache
def _exam() -> bytes:
    whole = read_exam(COURSE.practice_exam, ["part1_simplified"])
    return exam_to_bytes(restricted_to(whole, {"part1_simplified.softmax", "part1_simplified.dot_product"}))


def _read_exam(path: Path) -> object:
    return read_exam(path)


# What is handed in

MODULE = (
    b'"""Mine."""\nimport torch\n\n\ndef softmax(scores):\n    # TODO\n    return scores.exp() / sum(scores.exp())\n'
)


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Mine"},
        {"cell_type": "code", "metadata": {"nbgrader": {"grade": True, "solution": False}}, "source": "assert 1"},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["%time x = 1\n", "!ls\n", MODULE.decode()],
            "outputs": [{"data": {}}],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # always of the same time
    return buffer.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    """Return a tar archive of files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _handed_in() -> dict[str, bytes]:
    inner = {"part2_trainable.py": b"x = 1\n", "notes.txt": b"mine"}
    return {
        "work/part1_simplified.py": MODULE,
        "work/part3_causal.ipynb": _notebook(),
        "work/inner.zip": zipped(inner),
        f"work/{'long' * 30}.tgz": gzip.compress(tarred(inner), mtime=0),
        "timestamp.txt": b"2026-11-20 12:00:00 UTC\n",
    }


@functools.cache
def _syllabus() -> object:
    return from_json(COURSE.syllabus.read_text(encoding="utf-8"))


def _submission(path: Path) -> object:
    return read_hand_in(path, "ada", _syllabus().parts, "part1_simplified")


def _compressed(content: bytes, folder: Path) -> object:
    return _as_file(_submission, "ada.tgz")(gzip.compress(content, mtime=0), folder)


def _module(content: bytes, _: Path) -> object:
    text = module_source(content, "part.py").text
    try:
        return parse(text)
    except SyntaxError:
        return None


# What a class has


def _marks() -> bytes:
    picture = view_of("", np.eye(2), np.array([[1.0, np.nan], [np.inf, 0.0]]), ("t", "d"))
    checks = (Check("journey", "runs", True), Check("journey", "values", False, "no", picture))
    cause = Diagnosis(
        "mistake", "divided", "You divide.", "there", "this", "so", Spot("part.py", 3, 0, 4, "x / 2"), picture=picture
    )
    step = StepMarks(
        "softmax",
        "wrong_values",
        0.5,
        1.0,
        checks,
        cause,
        "a hint",
        "printed",
        None,
        (CriterionMarks("values", 0.5, 1.0),),
    )
    part = PartMarks("part1_simplified", None, (step,), "2026-11-20", ("a note",), "sha256:2")
    return to_bytes(Marks("ada", "sha256:0", "sha256:1", "2026-11-20T12:00:00Z", 0.2, "none", (part,), ("note",)))


def _autograded(content: bytes, folder: Path) -> object:
    """Read a notebook that nbgrader has collected, and put its cells into the release's."""
    name, syllabus = "part1_simplified", _syllabus()
    release, handed_in = (
        folder / "release" / name / f"{name}.ipynb",
        folder / "submitted" / "ada" / name / f"{name}.ipynb",
    )
    for path, notebook in ((release, _notebook()), (handed_in, content)):
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook)
    marks = Marks("ada", "sha256:0", "sha256:1", "2026-11-20T12:00:00Z", 0.2, "none", (PartMarks(name, None, ()),))
    return write_autograded(folder, [Entry("ada", folder / "submitted" / "ada")], [marks], syllabus)


READERS = (
    Reader("frames", lambda: b"\x03\x00\x00\x00abc\x02\x00\x00\x00hi", _frames, (Closed, Garbled)),
    Reader("answers", lambda: codec.encode(Answered({"case": ANSWER, "other": Answer(failure=RAISED)})), lambda c, _: decode_reply(c), (Garbled,)),
    Reader("loading", lambda: codec.encode(Loaded(RAISED, ["one", "two"])), lambda c, _: decode_reply(c), (Garbled,)),
    Reader("trace", _trace, lambda c, _: decode_reply(c), (Garbled,)),
    Reader("exam", _exam, _as_file(_read_exam, "an.exam"), (NotAnExam,), 256 * MB),
    Reader("marks", _marks, lambda c, _: marks_from_json(c), (NotMarks,)),
    Reader("module", lambda: MODULE, _module, (Unreadable,)),
    Reader("notebook", _notebook, lambda c, _: read_notebook(c, "n.ipynb"), (Unreadable,), 256 * MB),
    Reader("zip", lambda: zipped(_handed_in()), _as_file(_submission, "ada.zip"), (), 128 * MB),
    Reader("tar", lambda: tarred(_handed_in()), _as_file(_submission, "ada.tar"), (), 128 * MB),
    Reader("tar, compressed", lambda: tarred(_handed_in()), _compressed, (), 128 * MB),
    Reader("nbgrader's notebook", _notebook, _autograded, (), 256 * MB),
    Reader("single module", lambda: MODULE, _as_file(_submission, "ada.py")),
    Reader("single notebook", _notebook, _as_file(_submission, "ada.ipynb"), (), 256 * MB),
)  # fmt: skip


TIMES = 16
"""How many times the size of what is read may be taken in memory, beyond a reader's bound."""

SECONDS = 5.0
"""Of the processor's time, of which the longest takes half."""

each = pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """What a library logs of damaged bytes is long, and half of it cannot be written."""
    caplog.set_level(logging.CRITICAL + 1)


def read(reader: Reader, content: bytes, folder: Path) -> bool:
    """Return whether a reader takes some bytes; fail if it raises anything but its refusal, or takes too much time or memory.

    It reads twice: measuring memory takes ten times as long.
    """
    with bounded(SECONDS):
        taken = _is_taken(reader, content, folder)
    with bounded(), measured() as peak:
        assert _is_taken(reader, content, folder) == taken
    assert peak.taken <= TIMES * len(content) + reader.most, f"{peak.taken >> 20} MB for {len(content):,} bytes"
    return taken


def _is_taken(reader: Reader, content: bytes, folder: Path) -> bool:
    shutil.rmtree(folder)
    folder.mkdir()
    with contextlib.suppress(*reader.refusal):
        reader.read(content, folder)
        return True
    return False


@each
def test_what_is_valid_is_taken(reader: Reader, tmp_path: Path) -> None:
    if reader.name != "frames":  # which ends with the wire
        assert read(reader, reader.valid(), tmp_path)


@each
@ALWAYS
@given(data=st.data())
def test_what_is_damaged_is_taken_or_refused(reader: Reader, tmp_path: Path, data: st.DataObject) -> None:
    read(reader, data.draw(damaged(reader.valid())), tmp_path)


def _bytes_of(kind: bytes, size: int) -> bytes:
    """Return how a tar archive begins to describe a member."""
    info = tarfile.TarInfo("part.py")
    info.type, info.size = kind, size
    return info.tobuf()


def _holes() -> bytes:
    """Return a tar archive with a file of two million holes, none of which holds anything."""
    sparse = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
    holes = b"2000000\n" + b"0\n" * 4_000_000
    return (
        _bytes_of(tarfile.XHDTYPE, len(sparse))
        + sparse.ljust(512, b"\0")
        + _bytes_of(tarfile.REGTYPE, 8_000_008)
        + holes
    )


def _members_of_names(number: int) -> bytes:
    return zipped({f".{name}": b"" for name in range(number)})


def _marks_with(was: bytes, becomes: bytes) -> bytes:
    (valid,) = (reader.valid() for reader in READERS if reader.name == "marks")
    assert was in valid
    return valid.replace(was, becomes)


def _notebook_of(cell: str) -> bytes:
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell}]}).encode()


HURT: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a notebook of small objects": ("notebook", lambda: b'{"nbformat":4,"cells":[' + b'{"":1},' * 900_000 + b"{}]}"),
    "a module of empty lines": ("single module", lambda: b"x = 1" + b"\n" * 99_000),
    "a module of empty lines as old Macs write them": ("single module", lambda: b"x = 1" + b"\r" * 99_000),
    "a notebook of empty lines": ("single notebook", lambda: _notebook_of("x = 1" + "\n" * 99_000)),
    "a notebook of empty lines as old Macs write them": ("single notebook", lambda: _notebook_of("x = 1" + "\r" * 99_000)),
    "a notebook of an f-string and commands": (
        "single notebook",
        lambda: _notebook_of("x = f'" + "{1}" * 30_000 + "'" + "\n!ls" * 100),
    ),
    "marks that are nested": ("marks", lambda: b'{"schema":"attn-marks/2","parts":' + b"[" * 100_000),
    "a picture of ten thousand million columns": ("marks", lambda: _marks_with(b'"shape":[2,2]', b'"shape":[2,10000000000]')),
    "a picture beyond its tensor": ("marks", lambda: _marks_with(b'"row":0', b'"row":2')),
    "a picture that says what is wrong elsewhere": ("marks", lambda: _marks_with(b'"wrong":[[', b'"wrong":[[true],[')),
    "answers that are nested": ("answers", lambda: msgspec.msgpack.encode([[], b"\x91" * 100_000])),
    "zips that hold nothing but names": ("zip", lambda: zipped({f"{one}.zip": _members_of_names(9_000) for one in range(3)})),
    "zips of much that unpacks to more": ("zip", lambda: zipped({f"{one}.zip": zipped({"a.py": bytes(19_000_000)}) for one in range(9)})),
    "tars of much in a tar": ("tar", lambda: tarred({f"{one}.tgz": gzip.compress(tarred({"a.py": bytes(19_000_000)})) for one in range(9)})),
    "a tar of modules that are large": ("tar, compressed", lambda: tarred({f"{one}.py": bytes(19_000_000) for one in range(9)})),
    "a name of 100 MB in a tar": ("tar, compressed", lambda: _bytes_of(tarfile.GNUTYPE_LONGNAME, 100_000_000) + b"a" * 100_000_000),
    "a notebook of nbgrader's with a hundred thousand cells": (
        "nbgrader's notebook",
        lambda: b'{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[' + b'{"cell_type":"raw","metadata":{},"source":""},' * 100_000 + b"{}]}",
    ),
    "a file of two million holes in a tar": ("tar", _holes),
}  # fmt: skip
"""What once took all memory, never ended or raised something else; found by these tests and by people."""


LONG = (
    "a notebook of small objects",
    "zips that hold nothing but names",
    "zips of much that unpacks to more",
    "tars of much in a tar",
    "a tar of modules that are large",
    "a name of 100 MB in a tar",
    "a file of two million holes in a tar",
)
"""They take seconds, or tens of seconds, each."""


@pytest.mark.parametrize(
    "found", [pytest.param(name, marks=pytest.mark.world if name in LONG else ()) for name in HURT]
)
def test_what_has_hurt_once_does_no_more(tmp_path: Path, found: str) -> None:
    name, content = HURT[found]
    (reader,) = (reader for reader in READERS if reader.name == name)
    read(reader, content(), tmp_path)


@pytest.mark.world
@each
@AT_LENGTH
@given(data=st.data())
def test_hundreds_that_are_damaged_are_taken_or_refused(reader: Reader, tmp_path: Path, data: st.DataObject) -> None:
    read(reader, data.draw(damaged(reader.valid())), tmp_path)

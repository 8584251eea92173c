"""Whatever a stranger sends: a reader takes it or refuses it in its own words, and takes no more memory than it may.

`make test` tries a few ways to damage something valid for each reader, always the same; `make test-all` tries thousands, others each time.
"""

import contextlib
import gzip
import json
import logging
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from damage import ALWAYS, AT_LENGTH, damaged
from hypothesis import given
from hypothesis import strategies as st
from readers import COURSE_TOML, HAND_INS, READERS, Reader, tarred, zipped
from watched import bounded, measured

pytestmark = pytest.mark.slow

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


def _message(data: object) -> bytes:
    """Return data as a message without arrays."""
    return msgspec.msgpack.encode([[], msgspec.msgpack.encode(data)])


def _marks_with(was: bytes, becomes: bytes) -> bytes:
    (valid,) = (reader.valid() for reader in READERS if reader.name == "marks")
    assert was in valid
    return valid.replace(was, becomes)


def _notebook_of(cell: str) -> bytes:
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell}]}).encode()


HURT: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a part of 70 kB that unpacks to 70 MB": ("exam: part1_simplified", lambda: bytes(70_000_000)),
    "a part of a million names": ("exam: part1_simplified", lambda: _message({str(name): 1 for name in range(1_000_000)})),
    "a part of small objects": ("exam: part1_simplified", lambda: _message({"paper": [{}] * 4_000_000})),
    "a part of empty tensors": ("exam: part1_simplified", lambda: msgspec.msgpack.encode([[["<f4", [0], b""]] * 4_000_000, b""])),
    "a notebook of small objects": ("notebook", lambda: b'{"nbformat":4,"cells":[' + b'{"":1},' * 900_000 + b"{}]}"),
    "a module of empty lines": ("single module", lambda: b"x = 1" + b"\n" * 99_000),
    "a module of empty lines as old Macs write them": ("single module", lambda: b"x = 1" + b"\r" * 99_000),
    "a notebook of empty lines": ("single notebook", lambda: _notebook_of("x = 1" + "\n" * 99_000)),
    "a notebook of empty lines as old Macs write them": ("single notebook", lambda: _notebook_of("x = 1" + "\r" * 99_000)),
    "a notebook of an f-string and commands": (
        "single notebook",
        lambda: _notebook_of("x = f'" + "{1}" * 30_000 + "'" + "\n!ls" * 100),
    ),
    "a syllabus that is nested": ("syllabus", lambda: b'{"schema":"attn-syllabus/2","parts":' + b"[" * 100_000),
    "progress that is nested": ("progress", lambda: b'{"steps":' + b'{"":' * 100_000),
    "a score of progress that no float is": (
        "progress",
        lambda: b'{"steps":{"x":{"verdict":"passed","score":1%s,"checked_at":"","file":""}},"hints":{}}' % (b"0" * 400),
    ),
    "hints of progress without end": ("progress", lambda: b'{"steps":{},"hints":{"x":1e999}}'),
    "marks that are nested": ("marks", lambda: b'{"schema":"attn-marks/2","parts":' + b"[" * 100_000),
    "a picture of ten thousand million columns": ("marks", lambda: _marks_with(b'"shape":[2,2]', b'"shape":[2,10000000000]')),
    "a picture beyond its tensor": ("marks", lambda: _marks_with(b'"row":0', b'"row":2')),
    "a picture that says what is wrong elsewhere": ("marks", lambda: _marks_with(b'"wrong":[[', b'"wrong":[[true],[')),
    "a picture with sums of other rows": ("marks", lambda: _marks_with(b'"sums":[]', b'"sums":[1.0,1.0,1.0]')),
    "answers that are nested": ("answers", lambda: msgspec.msgpack.encode([[], b"\x91" * 100_000])),
    "a course that is nested": ("course.toml", lambda: b"x = " + b"[" * 3_000),
    "a course of tables in tables": ("course.toml", lambda: b"x = " + b"{a=" * 1_000),
    "a name of a course in a hundred thousand parts": ("course.toml", lambda: b"a." * 100_000 + b"b = 1"),
    "a number of a course that no float is": ("course.toml", lambda: COURSE_TOML.replace(b"15.5", b"1" * 400)),
    "a table of a course that is none": ("course.toml", lambda: COURSE_TOML.replace(b"forbidden = {", b"forbidden = 1 # {")),
    "an entry of a release that there is not": ("course.toml", lambda: COURSE_TOML.replace(b"files = [", b"page = [")),
    "a title that does something to a terminal": ("course.toml", lambda: COURSE_TOML.replace(b'"Tiny"', b'"\\u001b[2J"')),
    "a roster of many columns and rows": ("roster", lambda: b"name" + b"," * 1_900 + b"\n" + b"a\n" * 100_000),
    "a roster of a million columns": ("roster", lambda: b"name" + b"," * 1_000_000),
    "adjustments that are all wrong": ("adjustments", lambda: b"student,part,points\n" + b"a,part1,1\n" * 20_000),
    "a place of hand-ins in thirty thousand folders": ("list of hand-ins", lambda: HAND_INS + b"ada,part1,,,a.py,%s\n" % (b"a/" * 30_000)),
    "a list of hand-ins that is repeated": ("list of hand-ins", lambda: HAND_INS + HAND_INS.splitlines(keepends=True)[1] * 240_000),
    "zips that hold nothing but names": ("zip", lambda: zipped({f"{one}.zip": _members_of_names(9_000) for one in range(3)})),
    "zips of much that unpacks to more": ("zip", lambda: zipped({f"{one}.zip": zipped({"a.py": bytes(19_000_000)}) for one in range(9)})),
    "tars of much in a tar": ("tar", lambda: tarred({f"{one}.tgz": gzip.compress(tarred({"a.py": bytes(19_000_000)})) for one in range(9)})),
    "a tar of modules that are large": ("tar, compressed", lambda: tarred({f"{one}.py": bytes(19_000_000) for one in range(9)})),
    "a name of 100 MB in a tar": ("tar, compressed", lambda: _bytes_of(tarfile.GNUTYPE_LONGNAME, 100_000_000) + b"a" * 100_000_000),
    "a release of a hundred thousand files": ("release", lambda: _members_of_names(100_000)),
    "a release of a file of 200 MB": ("release", lambda: zipped({"course.toml": bytes(200_000_000)})),
    "a notebook of nbgrader's with a hundred thousand cells": (
        "nbgrader's notebook",
        lambda: b'{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[' + b'{"cell_type":"raw","metadata":{},"source":""},' * 100_000 + b"{}]}",
    ),
    "a file of two million holes in a tar": ("tar", _holes),
}  # fmt: skip
"""What once took all memory, never ended or raised something else; found by these tests and by people."""


LONG = (
    "a release of a hundred thousand files",
    "a file of two million holes in a tar",
    "zips that hold nothing but names",
)
"""They take tens of seconds each."""


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
def test_thousands_that_are_damaged_are_taken_or_refused(reader: Reader, tmp_path: Path, data: st.DataObject) -> None:
    read(reader, data.draw(damaged(reader.valid())), tmp_path)

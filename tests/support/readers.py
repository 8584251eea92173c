"""Every reader of what a stranger may have sent, in one table: something valid, how it is read, and how it is refused."""

import functools
import gzip
import io
import json
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from autograder.classroom.adjustments import BadAdjustments, read_adjustments
from autograder.classroom.class_folder import Entry
from autograder.classroom.collecting.handed_in import HANDED_IN, BadHandedIn, read_handed_in
from autograder.classroom.exports import CannotExport, canvas, moodle
from autograder.classroom.nbgrader_notebooks import write_autograded
from autograder.classroom.people import BadRoster, read_people
from autograder.classroom.results import to_bytes
from autograder.course import codec
from autograder.course.answer import Answer, Failure, PlainValue, TensorValue
from autograder.course.course import read_course
from autograder.course.errors import FILE, BrokenCourse
from autograder.course.trace import Call, Made, Numbers, Operation, Stop, Trace
from autograder.exam.files import NotAnExam, exam_from_bytes, exam_to_bytes, read_exam
from autograder.exam.model import PaperCase, restricted_to
from autograder.exam.syllabus import from_json, to_json
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
from autograder.runner.answers import decode_answers, decode_loaded, decode_trace
from autograder.runner.wire import Closed, Garbled, Wire
from autograder.student.progress import read_progress
from autograder.student.updating import CannotUpdate, update
from autograder.submission.model import Unreadable, module_source
from autograder.submission.notebook import read_notebook
from autograder.submission.parsed import parse
from autograder.submission.reading import read_hand_in
from autograder.workspace import COURSE, Workspace

MB = 1 << 20

Read = Callable[[bytes, Path], object]


@dataclass(frozen=True)
class Reader:
    """How some bytes are read.

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
CASE = PaperCase("part", "step", "case", 0, False, {})
RAISED = Failure("raised", "ValueError: no", "ValueError", "part.py, line 3, in f\n    return 1 / 0")


def _trace() -> bytes:
    numbers = Numbers(np.arange(6, dtype=np.float32))
    product = Made("@", (-1,), ((2, 3),), 1, (numbers,))
    operations = tuple(Operation(0, "part.py", (1, 1, 4, 9), "f", made) for made in (product, product))
    call = Call("f", (("x", (2, 3)), ("n", "3")))
    stop = Stop(0, (("part.py", 3, "f"),), (("x", (2,)),), (0,))
    return codec.encode((CASE.path, Trace((call,), operations, stop, (1,))))


# What an exam holds


@functools.cache
def _exam() -> bytes:
    whole = read_exam(COURSE.practice_exam, ["part1_simplified"])
    return exam_to_bytes(restricted_to(whole, {"part1_simplified.softmax", "part1_simplified.dot_product"}))


def _syllabus_json() -> bytes:
    return to_json(exam_from_bytes(_exam()).syllabus).encode()


def _read_exam(path: Path) -> object:
    return read_exam(path)


def _within_an_exam(name: str) -> tuple[Callable[[], bytes], Read]:
    """Return something of an exam, and how to read bytes in its place."""

    def valid() -> bytes:
        file = msgspec.msgpack.decode(_exam())
        return zlib.decompress((file | file["parts"])[name])

    def run(content: bytes, folder: Path) -> object:
        file, packed = msgspec.msgpack.decode(_exam()), zlib.compress(content)
        (file if name in file else file["parts"])[name] = packed
        return _as_file(_read_exam, "an.exam")(msgspec.msgpack.encode(file), folder)

    return valid, run


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


ROSTER = "name,id,login,email,folder\nAda Lovelace,101,ada,ada@uni.edu,\nBé,102,,b@uni.edu,be\n".encode()
ADJUSTMENTS = (
    b"student,part,step,points,excused,extension,late,reason,hand_in\n"
    b'ada,part1_simplified,softmax,2.5,,,,"right, but",\nbob,part1_simplified,,,yes,,,ill,\ncarol,,,,,7,2,,\neve,,,,,2026-10-08,,,\n'
)
HAND_INS = b"student,part,handed_in_at,late,from_file,place\nada,part1_simplified,2026-11-20T12:00:00+00:00,no,a.zip; b.py,ada/x\n"
GRADEBOOK = (
    b"Student,ID,SIS User ID,SIS Login ID,Section,Part 1 (7)\n    Points Possible,,,,,25.00\n"
    b'"Lovelace, Ada",101,a-1,ada,S,\n"Test, Bob",102,b-2,bob,S,4\n'
)
WORKSHEET = b'Identifier,"Full name",Grade,"Maximum Grade","Grade can be changed"\nParticipant 7,Ada,,100.00,Yes\n'


def _adjustments(path: Path) -> object:
    return read_adjustments(path, _syllabus())


def _in_folder(read: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda path: read(path.parent)


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


# What a student keeps and takes

PROGRESS = json.dumps(
    {
        "schema": "attn-progress/1",
        "steps": {
            "part1_simplified.softmax": {
                "verdict": "passed",
                "score": 2.0,
                "checked_at": "2026",
                "file": "0f",
                "hint": "no",
            }
        },
        "hints": {"part1_simplified.softmax": 2},
        "asked": {"part1_simplified.softmax": ["0f", 1]},
    }
).encode()

COURSE_TOML = b"""\
id = "tiny"
title = "Tiny"
blurb = "Small."
parts = ["part1_a", "part2_b"]
relations = "course.relations"
site = "https://example.org"
words = { b = "photo" }
verbs = { train = "workbench.train:train" }
forbidden = { words = "that", names = ["softmax"] }
release = { pages = ["docs/*.md"], files = ["a.txt"], notes = "Read." }
causes = { rungs = "what" }
slips = { dimension = "You sum over the photos." }
hints = { batch = "How many?" }
criteria = { batch = "for several" }
late = { percent_per_day = 10, at_most_days = 5, grace_minutes = 15.5 }
due = { part1_a = 2026-10-01T23:59:00+02:00 }
steps = { "part1_a.f" = { factor = 2 }, "part1_a.g" = { bonus = true } }
pages = { vocabulary = "course.pages", widgets = { view = { needs = ["a"], takes = ["b"] } } }
"""

RELEASED = {
    "course.toml": COURSE_TOML,
    "requirements.lock": b"torch\n",
    "autograder/grader.py": b"KNOWS = 1\n",
    "exercises/part1_a.py": MODULE,
}
"""A release, without its syllabus."""


def _release() -> bytes:
    return zipped(
        {f"course/{name}": content for name, content in (RELEASED | {"exams/syllabus.json": _syllabus_json()}).items()}
    )


def _updated(content: bytes, folder: Path) -> object:
    mine = folder / "mine"
    for name, text in (RELEASED | {"requirements.lock": b"", "exams/syllabus.json": _syllabus_json()}).items():
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_bytes(text)
    return _as_file(lambda path: update(Workspace(mine), path), "release.zip")(content, folder)


READERS = (
    Reader("frames", lambda: b"A\x03\x00\x00\x00abcP\x02\x00\x00\x00hi", _frames, (Closed, Garbled)),
    Reader("answers", lambda: codec.encode({"case": ANSWER, "other": Answer(failure=RAISED)}), lambda c, _: decode_answers(c), (Garbled,)),
    Reader("loading", lambda: codec.encode((RAISED, ["one", "two"])), lambda c, _: decode_loaded(c), (Garbled,)),
    Reader("trace", _trace, lambda c, _: decode_trace(c, [CASE]), (Garbled,)),
    Reader("exam", _exam, _as_file(_read_exam, "an.exam"), (NotAnExam,), 256 * MB),
    *(
        Reader(f"exam: {name}", *_within_an_exam(name), (NotAnExam,), 256 * MB)
        for name in ("syllabus", "part1_simplified")
    ),
    Reader("syllabus", _syllabus_json, lambda c, _: from_json(c.decode()), (ValueError,)),
    Reader("marks", _marks, lambda c, _: marks_from_json(c), (NotMarks,)),
    Reader("module", lambda: MODULE, _module, (Unreadable,)),
    Reader("notebook", _notebook, lambda c, _: read_notebook(c, "n.ipynb"), (Unreadable,), 256 * MB),
    Reader("zip", lambda: zipped(_handed_in()), _as_file(_submission, "ada.zip"), (), 128 * MB),
    Reader("tar", lambda: tarred(_handed_in()), _as_file(_submission, "ada.tar"), (), 128 * MB),
    Reader("tar, compressed", lambda: tarred(_handed_in()), _compressed, (), 128 * MB),
    Reader("nbgrader's notebook", _notebook, _autograded, (), 256 * MB),
    Reader("single module", lambda: MODULE, _as_file(_submission, "ada.py")),
    Reader("single notebook", _notebook, _as_file(_submission, "ada.ipynb"), (), 256 * MB),
    Reader("roster", lambda: ROSTER, _as_file(read_people, "roster.csv"), (BadRoster,), 128 * MB),
    Reader("adjustments", lambda: ADJUSTMENTS, _as_file(_adjustments, "adjustments.csv"), (BadAdjustments,), 128 * MB),
    Reader("list of hand-ins", lambda: HAND_INS, _as_file(_in_folder(read_handed_in), HANDED_IN), (BadHandedIn,), 128 * MB),
    Reader("Canvas's gradebook", lambda: GRADEBOOK, lambda c, _: canvas.read_gradebook(c), (CannotExport,), 128 * MB),
    Reader("Moodle's worksheet", lambda: WORKSHEET, lambda c, _: moodle.read_worksheet(c), (CannotExport,), 128 * MB),
    Reader("progress", lambda: PROGRESS, _as_file(read_progress, "progress.json"), (ValueError,)),
    Reader("release", _release, _updated, (CannotUpdate, BrokenCourse, OSError), 128 * MB),
    Reader("course.toml", lambda: COURSE_TOML, _as_file(_in_folder(read_course), FILE), (BrokenCourse,)),
)  # fmt: skip

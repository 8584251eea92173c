"""Exams as files: one zip of JSON and safetensors, a part in a folder of its own, the same bytes for the same exam."""

import functools
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from autograder.course.answer import Answer, Array, pack, unpack
from autograder.course.explained import ExplainedError
from autograder.course.model import Tolerance
from autograder.course.trace import Pool, made_from_plain, to_plain
from autograder.exam import manifest as syllabus_files
from autograder.exam.manifest import SyllabusPart
from autograder.exam.model import Exam, Fingerprint, Influence, Key, KeyCase, Pair, Paper, PaperCase
from autograder.exam.scope import restricted_to

SCHEMA = "attn-exam/5"
WAY = "way"
EPOCH = (1980, 1, 1, 0, 0, 0)

LARGEST_UNPACKED = 64_000_000
"""Bytes of an exam, unpacked: seven times those of six parts with three hundred cases."""
LARGEST_TENSOR_HEADERS = 8_000_000
MOST_ELEMENTS = 1_000_000
"""Commas and brackets of an exam's JSON: a bound on the memory that parsing it takes."""


class NotAnExam(ExplainedError):
    """A file that should hold an exam does not; the message says what is wrong with it."""


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
    except Exception as error:  # any error that zip, JSON and safetensors may raise on untrusted bytes
        raise NotAnExam(f"{path} is not an exam ({type(error).__name__}: {error})") from error


@functools.lru_cache(maxsize=8)
def exam_from_bytes(content: bytes, parts: frozenset[str] | None = None) -> Exam:
    """Read an exam from the content of its file, once: that takes longer than most of what is done with it, and nothing changes one.

    parts: as `read_exam` takes them.
    """
    members = _Members(content)
    syllabus = syllabus_files.from_json(members.json("syllabus.json").decode())
    read = [_part_from(members, part) for part in syllabus.parts if parts is None or part.name in parts]
    paper = Paper(tuple(case for paper, _, _ in read for case in paper.cases))
    made_from = {step: digest for _, _, sources in read for step, digest in sources.items()}
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return Exam(syllabus, paper, _joined([key for _, key, _ in read]), digest, made_from)


class _Members:
    """The members of an exam's zip, which together may only unpack to so much, and be made of so many pieces. Raises ValueError."""

    def __init__(self, content: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._elements, self._headers = MOST_ELEMENTS, LARGEST_TENSOR_HEADERS
        members = self._archive.infolist()
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
            raise ValueError("it is compressed by an unusual method")
        if (
            sum(member.file_size for member in members) > LARGEST_UNPACKED
        ):  # more than it says of itself is not unpacked
            raise ValueError(f"it unpacks to more than {LARGEST_UNPACKED:,} bytes")

    def json(self, name: str) -> bytes:
        """Return a member that is to be parsed as JSON."""
        content = self._archive.read(name)
        self._elements -= sum(map(content.count, (b",", b"[", b"{")))
        if self._elements < 0:
            raise ValueError(f"it has more than {MOST_ELEMENTS:,} elements")
        return content

    def tensors(self, name: str) -> bytes:
        """Return a member that is to be parsed as safetensors."""
        content = self._archive.read(name)
        self._headers -= int.from_bytes(content[:8], "little")
        if self._headers < 0:
            raise ValueError("its tensors have headers that are too long")
        return content


def paper_to_bytes(paper: Paper) -> tuple[bytes, bytes]:
    """Return a paper as JSON and safetensors."""
    arrays: dict[str, Array] = {}
    cases = []
    for number, case in enumerate(paper.cases):
        inputs: dict[str, Any] = {}
        for name, value in case.inputs.items():
            if isinstance(value, np.ndarray):
                arrays[f"{number} {name}"] = value
                inputs[name] = {"tensor": f"{number} {name}"}
            else:
                inputs[name] = {"value": value}
        cases.append(vars(case) | {"inputs": inputs})
    return _json(cases), _tensors(arrays)


def paper_from_bytes(header: bytes, tensors: bytes) -> Paper:
    """Read a paper from JSON and safetensors."""
    arrays = load_tensors(tensors)
    cases = []
    for case in json.loads(header):
        inputs = {
            name: arrays[value["tensor"]] if "tensor" in value else value["value"]
            for name, value in case["inputs"].items()
        }
        cases.append(PaperCase(**(case | {"inputs": inputs})))
    return Paper(tuple(cases))


def exam_to_bytes(exam: Exam) -> bytes:
    """Return the content of an exam's file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        members = {"syllabus.json": syllabus_files.to_json(exam.syllabus).encode()}
        for part in exam.syllabus.parts:
            members |= _members_of(part.name, restricted_to(exam, {step.path for step in part.steps}))
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _members_of(part: str, exam: Exam) -> dict[str, bytes]:
    """Return paper and key of an exam on one part as files in its folder."""
    answers = {path: case.expected for path, case in exam.key.cases.items()}
    for fingerprints in exam.key.fingerprints.values():
        for one in fingerprints:
            answers |= {_owner(one.id, path): answer for path, answer in one.answers.items()}
    headers, arrays = pack(answers)
    pool = Pool()
    key = {
        "schema": SCHEMA,
        "made_from": exam.made_from,
        "answers": headers,
        "cases": _cases_to(exam.key, pool),
        "fingerprints": _fingerprints_to(exam.key),
    }
    paper, paper_tensors = paper_to_bytes(exam.paper)
    return {
        f"{part}/paper.json": paper,
        f"{part}/paper.safetensors": paper_tensors,
        f"{part}/key.json": _json(key),
        f"{part}/key.safetensors": _tensors(arrays | {WAY: pool.array()}),
    }


def _part_from(members: _Members, part: SyllabusPart) -> tuple[Paper, Key, dict[str, str]]:
    """Return the paper and the key of a part, and the digests of its sources. Raises ValueError if they do not belong together, or to the part."""
    name, steps = part.name, {step.path for step in part.steps}
    paper = paper_from_bytes(members.json(f"{name}/paper.json"), members.tensors(f"{name}/paper.safetensors"))
    tensors = load_tensors(members.tensors(f"{name}/key.safetensors"))
    data = json.loads(members.json(f"{name}/key.json"))
    key = _key_from(data, tensors)
    of_others = [case.path for case in paper.cases if f"{case.part}.{case.step}" not in steps]
    if of_others or [case.path for case in paper.cases] != [*key.cases]:
        raise ValueError(f"the paper, the key and the syllabus of {name} do not belong together")
    return paper, key, data.get("made_from", {})


def _joined(keys: Sequence[Key]) -> Key:
    return Key(
        {path: case for key in keys for path, case in key.cases.items()},
        {path: known for key in keys for path, known in key.fingerprints.items()},
    )


def _owner(mistake: str, case: str) -> str:
    return f"{mistake} on {case}"


def _cases_to(key: Key, pool: Pool) -> dict[str, Any]:
    return {
        path: {
            "tolerance": [case.tolerance.rtol, case.tolerance.atol],
            "shapes": case.shapes,
            "labels": case.labels,
            "criterion": case.criterion,
            "fixed": sorted(case.fixed),
            "way": to_plain(case.way, pool),
            "influences": [[*astuple(one.pair), one.changes.astype(int).tolist()] for one in case.influences],
        }
        for path, case in key.cases.items()
    }


def _fingerprints_to(key: Key) -> dict[str, Any]:
    return {
        path: [vars(one) | {"answers": list(one.answers)} for one in fingerprints]
        for path, fingerprints in key.fingerprints.items()
    }


def _key_from(data: Mapping[str, Any], arrays: Mapping[str, Array]) -> Key:
    if data["schema"] != SCHEMA:
        raise ValueError(f"expected schema {SCHEMA}, found {data['schema']!r}")
    answers = unpack(data["answers"], arrays)
    cases = {path: _key_case(answers[path], case, arrays[WAY]) for path, case in data["cases"].items()}
    fingerprints = {
        path: tuple(_fingerprint(one, answers) for one in found) for path, found in data["fingerprints"].items()
    }
    return Key(cases, fingerprints)


def _key_case(expected: Answer, case: Mapping[str, Any], numbers: Array) -> KeyCase:
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    labels = {word: tuple(names) for word, names in case["labels"].items()}
    way, influences = made_from_plain(case["way"], numbers), tuple(_influence(*one) for one in case["influences"])
    tolerance, fixed = Tolerance(*case["tolerance"]), frozenset(case.get("fixed", ()))
    return KeyCase(expected, tolerance, shapes, labels, way, influences, case["criterion"], fixed)


def _influence(name: str, output: str, of: int, on: int, changes: list[list[int]]) -> Influence:
    return Influence(Pair(name, output, of, on), np.array(changes, dtype=bool))


def _fingerprint(one: Mapping[str, Any], answers: Mapping[str, Answer]) -> Fingerprint:
    own = {case: answers[_owner(one["id"], case)] for case in one["answers"]}
    return Fingerprint(one["id"], one["step"], one["says"], own)


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _tensors(arrays: dict[str, Array]) -> bytes:
    return save_tensors({name: np.array(array, order="C") for name, array in arrays.items()})

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
from autograder.exam import syllabus as syllabus_files
from autograder.exam.model import Exam, Fingerprint, GeneratedMistake, Influence, Key, KeyCase, Pair, Paper, PaperCase
from autograder.exam.scope import restricted_to

SCHEMA = "attn-exam/5"
WAY = "way"
EPOCH = (1980, 1, 1, 0, 0, 0)


class NotAnExam(ExplainedError):
    """A file that should hold an exam does not; the message says what is wrong with it."""


def write_exam(exam: Exam, path: Path) -> None:
    """Write an exam to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(exam_to_bytes(exam))


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
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        syllabus = syllabus_files.from_json(archive.read("syllabus.json").decode())
        read = [_part_from(archive, part.name) for part in syllabus.parts if parts is None or part.name in parts]
    paper = Paper(tuple(case for paper, _ in read for case in paper.cases))
    return Exam(syllabus, paper, _joined([key for _, key in read]), "sha256:" + hashlib.sha256(content).hexdigest())


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
    sketches = {_sketches(path): np.stack([one.sketch for one in slips]) for path, slips in exam.key.generated.items()}
    for fingerprints in exam.key.fingerprints.values():
        for one in fingerprints:
            answers |= {_owner(one.id, path): answer for path, answer in one.answers.items()}
    headers, arrays = pack(answers)
    pool = Pool()
    key = {
        "schema": SCHEMA,
        "answers": headers,
        "cases": _cases_to(exam.key, pool),
        "fingerprints": _fingerprints_to(exam.key),
        "generated": {path: [[one.slip, one.says] for one in slips] for path, slips in exam.key.generated.items()},
    }
    paper, paper_tensors = paper_to_bytes(exam.paper)
    return {
        f"{part}/paper.json": paper,
        f"{part}/paper.safetensors": paper_tensors,
        f"{part}/key.json": _json(key),
        f"{part}/key.safetensors": _tensors(arrays | sketches | {WAY: pool.array()}),
    }


def _part_from(archive: zipfile.ZipFile, part: str) -> tuple[Paper, Key]:
    paper = paper_from_bytes(archive.read(f"{part}/paper.json"), archive.read(f"{part}/paper.safetensors"))
    key = _key_from(json.loads(archive.read(f"{part}/key.json")), load_tensors(archive.read(f"{part}/key.safetensors")))
    return paper, key


def _joined(keys: Sequence[Key]) -> Key:
    return Key(
        {path: case for key in keys for path, case in key.cases.items()},
        {path: known for key in keys for path, known in key.fingerprints.items()},
        {path: slips for key in keys for path, slips in key.generated.items()},
    )


def _sketches(step: str) -> str:
    return f"sketches of {step}"


def _owner(mistake: str, case: str) -> str:
    return f"{mistake} on {case}"


def _cases_to(key: Key, pool: Pool) -> dict[str, Any]:
    return {
        path: {
            "tolerance": [case.tolerance.rtol, case.tolerance.atol],
            "shapes": case.shapes,
            "labels": case.labels,
            "criterion": case.criterion,
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
    generated = {
        path: tuple(
            GeneratedMistake(slip, says, arrays[_sketches(path)][place]) for place, (slip, says) in enumerate(slips)
        )
        for path, slips in data["generated"].items()
    }
    return Key(cases, fingerprints, generated)


def _key_case(expected: Answer, case: Mapping[str, Any], numbers: Array) -> KeyCase:
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    labels = {word: tuple(names) for word, names in case["labels"].items()}
    way, influences = made_from_plain(case["way"], numbers), tuple(_influence(*one) for one in case["influences"])
    return KeyCase(expected, Tolerance(*case["tolerance"]), shapes, labels, way, influences, case["criterion"])


def _influence(name: str, output: str, of: int, on: int, changes: list[list[int]]) -> Influence:
    return Influence(Pair(name, output, of, on), np.array(changes, dtype=bool))


def _fingerprint(one: Mapping[str, Any], answers: Mapping[str, Answer]) -> Fingerprint:
    own = {case: answers[_owner(one["id"], case)] for case in one["answers"]}
    return Fingerprint(one["id"], one["step"], one["says"], own)


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _tensors(arrays: dict[str, Array]) -> bytes:
    return save_tensors({name: np.array(array, order="C") for name, array in arrays.items()})

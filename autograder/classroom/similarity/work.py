"""What is compared of a submission: the fingerprints of each step."""

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.classroom.similarity.values import fingerprints, given_values, values_of
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.sitting.pieces import names_of, pieces_of
from autograder.sitting.submission import Source, Submission, parse

FENCE = re.compile(r"^```(?:python|py)\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Compared:
    """One submission, or a known right way. steps: by `part.step`, the fingerprints of what is written; without those given."""

    name: str
    steps: Mapping[str, frozenset[int]]
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """The text of a right way to write one step, of those that the course itself knows. label: where it is from."""

    step: str
    label: str
    text: str


@dataclass(frozen=True)
class KnownWay:
    """A right way to write a step."""

    label: str
    fingerprints: frozenset[int]


def compared(submission: Submission, syllabus: Syllabus, given: frozenset[int]) -> Compared:
    """Return what can be compared of a submission. given: the fingerprints of what everybody was given."""
    steps: dict[str, frozenset[int]] = {}
    unread = []
    for part in syllabus.parts:
        source = submission.modules.get(part.name)
        if source is None:
            continue
        defined = definitions(source)
        for step in part.steps:
            if step.name not in defined:
                continue
            try:
                found = step_fingerprints(step, part, defined) - given
            except RecursionError:
                unread.append(step.path)
                continue
            if found:
                steps[step.path] = found
    return Compared(submission.name, steps, tuple(unread))


def known_ways(known: Iterable[Known], syllabus: Syllabus, given: frozenset[int]) -> dict[str, list[KnownWay]]:
    """Return the fingerprints of known right ways, by step; without those that everybody was given."""
    ways: dict[str, list[KnownWay]] = {}
    read: dict[str, dict[str, ast.stmt]] = {}
    for one in known:
        part_name, _, step_name = one.step.partition(".")
        part = syllabus.part(part_name)
        if one.text not in read:
            read[one.text] = definitions(Source.module(one.label, one.text))
        defined = read[one.text]
        if step_name in defined and (found := step_fingerprints(part.step(step_name), part, defined) - given):
            ways.setdefault(one.step, []).append(KnownWay(one.label, found))
    return ways


def definitions(source: Source) -> dict[str, ast.stmt]:
    """Return what is defined at the top of a module or notebook, by name, the last of each; what is no Python is left out."""
    found: dict[str, ast.stmt] = {}
    for block in source.blocks:
        for piece in pieces_of(block.text, block.path):
            for statement in piece.statements:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    found.update(dict.fromkeys(names_of(statement), statement))
    return found


def step_fingerprints(step: SyllabusStep, part: SyllabusPart, defined: Mapping[str, ast.stmt]) -> frozenset[int]:
    """Return the fingerprints of a step and of the helpers that it calls. Raises RecursionError."""
    names = [one.name for one in part.steps]
    return fingerprints(values_of(defined[step.name], defined, names))


def given_code(syllabus: Syllabus, pages: Iterable[str]) -> frozenset[int]:
    """Return the fingerprints of what everybody was given: stubs, hints, and the code on pages."""
    found: set[int] = set()
    for text in _given_texts(syllabus, pages):
        with contextlib.suppress(SyntaxError, RecursionError):
            found |= fingerprints(given_values(parse(text).body))
    return frozenset(found)


def _given_texts(syllabus: Syllabus, pages: Iterable[str]) -> Iterator[str]:
    for part in syllabus.parts:
        yield part.stub
    for step in syllabus.steps:
        for hint in step.hints:
            yield from IN_LINE.findall(hint)
            yield from FENCE.findall(hint)
    for page in pages:
        yield from FENCE.findall(page)
        yield from IN_LINE.findall(page)

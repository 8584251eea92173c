"""Submissions to one step each: freely written wrong ones, and a table of cases with their marks."""

import ast
import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder.workspace import Workspace

FOLDER = Path(__file__).resolve().parent.parent / "course"
NATURAL = FOLDER / "natural.jsonl.gz"
CASES = FOLDER / "cases.jsonl"


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """Code of a step, to stand in the reference module in place of the step's definition.

    step: its path. student: who writes so. wrong: a teacher's sentences, one a mistake. verdict, points, cause: the grader's,
    cause by its id; of cases alone.
    """

    id: str
    step: str
    code: str
    student: str = ""
    wrong: tuple[str, ...] = ()
    verdict: str = ""
    points: float = 0.0
    cause: str = ""

    @property
    def part(self) -> str:
        return self.step.partition(".")[0]

    @property
    def name(self) -> str:
        return self.step.partition(".")[2]

    def module(self, course: Workspace) -> str:
        """Return the reference module with this code in place of the step's definition."""
        text = (course.solutions / f"{self.part}.py").read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        (node,) = (one for one in ast.parse(text).body if getattr(one, "name", "") == self.name)
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        own = self.code.strip("\n") + "\n"
        return "".join(lines[: first - 1]) + own + "".join(lines[node.end_lineno :])


def natural_submissions() -> Iterator[Written]:
    """Yield wrong submissions by people who saw the stubs and the lectures alone."""
    yield from _read(gzip.decompress(NATURAL.read_bytes()))


def cases() -> Iterator[Written]:
    """Yield the cases: right, nearly right and wrong code that the grader once misjudged, or might."""
    yield from _read(CASES.read_bytes())


def _read(lines: bytes) -> Iterator[Written]:
    return (msgspec.json.decode(line, type=Written) for line in lines.splitlines())


def write_cases(found: list[Written]) -> None:
    """Write the table, one case a line."""
    CASES.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in found))

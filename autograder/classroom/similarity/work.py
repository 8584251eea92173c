"""What is compared of a submission: the fingerprints of each step, and the wording of each part."""

import ast
import contextlib
import gc
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.classroom.similarity.values import read, read_given
from autograder.classroom.similarity.wording import Wording, given_wording, wording_of
from autograder.exam.syllabus import Syllabus, SyllabusPart
from autograder.sitting.pieces import pieces_of
from autograder.sitting.submission import Source, Submission, parse

FENCE = re.compile(r"^```(?:python|py)\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`([^`\n]+)`")


@contextlib.contextmanager
def reading_many() -> Iterator[None]:
    """Have Python look for no garbage meanwhile: in trees that are read and let go there is hardly any, and looking takes a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True)
class Compared:
    """One submission. steps: by `part.step`, the fingerprints of what is written. wording: by part. Both without what is given."""

    name: str
    steps: Mapping[str, frozenset[int]]
    wording: Mapping[str, Wording] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """What everybody was given: stubs, hints, and pages."""

    fingerprints: frozenset[int]
    wording: Wording


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


def compared(submission: Submission, syllabus: Syllabus, given: Given) -> Compared:
    """Return what can be compared of a submission."""
    steps: dict[str, frozenset[int]] = {}
    wording: dict[str, Wording] = {}
    unread = []
    for part in syllabus.parts:
        source = submission.modules.get(part.name)
        if source is None:
            continue
        defined = definitions(source)
        helpers = helpers_of(part, defined)
        for step in part.steps:
            if step.name not in defined:
                continue
            try:
                found = read(defined[step.name].statement, helpers).fingerprints() - given.fingerprints
            except RecursionError:
                unread.append(step.path)
                continue
            if found:
                steps[step.path] = found
        wording[part.name] = wording_of(source.text) - given.wording
    return Compared(submission.name, steps, wording, tuple(unread))


def known_ways(known: Iterable[Known], syllabus: Syllabus, given: Given) -> dict[str, list[KnownWay]]:
    """Return the fingerprints of known right ways, by step; without those that everybody was given."""
    ways: dict[str, list[KnownWay]] = {}
    of_text: dict[str, dict[str, Definition]] = {}
    for one in known:
        part_name, _, step_name = one.step.partition(".")
        part = syllabus.part(part_name)
        if one.text not in of_text:
            of_text[one.text] = definitions(Source.module(one.label, one.text))
        defined = of_text[one.text]
        if step_name in defined:
            read_alone = read(defined[step_name].statement, helpers_of(part, defined))
            if found := read_alone.fingerprints() - given.fingerprints:
                ways.setdefault(one.step, []).append(KnownWay(one.label, found))
    return ways


@dataclass(frozen=True)
class Definition:
    """A function or class at the top of a module. block: the text in which it stands."""

    statement: ast.stmt
    block: str

    @property
    def text(self) -> str:
        """Its own lines, decorators included."""
        decorators: list[ast.expr] = getattr(self.statement, "decorator_list", [])
        first = min([self.statement.lineno, *(decorator.lineno for decorator in decorators)])
        return "\n".join(self.block.split("\n")[first - 1 : self.statement.end_lineno])


def definitions(source: Source) -> dict[str, Definition]:
    """Return what is defined at the top of a module or notebook, by name, the last of each; what is no Python is left out."""
    found: dict[str, Definition] = {}
    for block in source.blocks:
        for piece in pieces_of(block.text, block.path):
            for statement in piece.statements:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    found[statement.name] = Definition(statement, block.text)
    return found


def helpers_of(part: SyllabusPart, defined: Mapping[str, Definition]) -> dict[str, ast.stmt]:
    """Return the helpers of one's own: what is defined and no step."""
    steps = {step.name for step in part.steps}
    return {name: definition.statement for name, definition in defined.items() if name not in steps}


def given_code(syllabus: Syllabus, pages: Sequence[str]) -> Given:
    """Return what everybody was given: stubs, hints, and pages."""
    found: set[int] = set()
    code = list(_given_code(syllabus, pages))
    for text in code:
        with contextlib.suppress(SyntaxError, RecursionError):
            found |= read_given(parse(text).body).fingerprints()
    hints = (hint for step in syllabus.steps for hint in step.hints)
    return Given(frozenset(found), given_wording(code, [*pages, *hints]))


def _given_code(syllabus: Syllabus, pages: Sequence[str]) -> Iterator[str]:
    for part in syllabus.parts:
        yield part.stub
    for step in syllabus.steps:
        for hint in step.hints:
            yield from IN_LINE.findall(hint)
            yield from FENCE.findall(hint)
    for page in pages:
        yield from FENCE.findall(page)
        yield from IN_LINE.findall(page)

"""What is compared of a submission: the fingerprints of each step, and the wording of each part."""

import contextlib
import gc
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.classroom.similarity.reader import Modules, Reading, TooMuch, Work, read_given
from autograder.classroom.similarity.wording import Wording, given_wording, wording_of
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep
from autograder.submission.model import Source, Submission
from autograder.submission.parsed import parse

FENCE = re.compile(r"^```(?:python|py)\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`([^`\n]+)`")

DEFINED = re.compile(r"\b(?:def|class|import|as)\s+(\w+)")
MADE = re.compile(
    r"\b(?:eval|exec|global|globals|import_module|locals|modules|setattr|vars|__dict__|__getattr__|__import__)\b|import\s*\*"
)
"""Where a definition stands that is not found, or may be made while the code runs."""

NOT_FOUND = "its definition cannot be read"
DEPENDS = "it means one thing or another, of which the first was compared"
TOO_DEEP = "its code is nested too deeply"
TOO_MUCH = "there is more to read than ever is"
"""Why a step was not compared, or not all of it."""


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
    """One submission. steps: by `part.step`, the fingerprints of what is written. wording: by part. Both without what is given.

    unread: why a step or a part was not compared, or not all of it.
    """

    name: str
    steps: Mapping[str, frozenset[int]]
    wording: Mapping[str, Wording] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


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
    parts = [part for part in syllabus.parts if part.name in submission.modules]
    steps: dict[str, frozenset[int]] = {}
    unread = {part: failure.message for part, failure in submission.problems.items()}
    work = Work()
    for step, reading in (one for part in parts for one in readings(submission, part, syllabus, work)):
        if isinstance(reading, str):
            unread[step] = reading
            continue
        if reading.depends:
            unread[step] = DEPENDS
        if traits := reading.fingerprints() - given.fingerprints:
            steps[step] = traits
    return Compared(submission.name, steps, _wording(submission, syllabus, given), unread)


def readings(
    submission: Submission, part: SyllabusPart, syllabus: Syllabus, work: Work | None = None
) -> Iterator[tuple[str, Reading | str]]:
    """Yield what is read of each step of a part that was handed in; why nothing is, where there may be a definition."""
    steps = {part.name: [step.name for step in part.steps] for part in syllabus.parts}
    modules, missing = Modules(_code_of(submission, part.name, steps), steps, work), dict[str, SyllabusStep]()
    for step in part.steps:
        try:
            if reading := modules.read(part.name, step.name):
                yield step.path, reading
            else:
                missing[step.name] = step
        except TooMuch:
            yield step.path, TOO_MUCH
        except RecursionError:
            yield step.path, TOO_DEEP
    modules.let_go()
    if missing:
        code = "\n".join(source.text for source in submission.code_of(part.name).values())
        named = missing if MADE.search(code) else missing.keys() & DEFINED.findall(code)
        yield from ((missing[name].path, NOT_FOUND) for name in named)


def _code_of(submission: Submission, part: str, parts: Collection[str]) -> Mapping[str, Source]:
    """Return what there is to run with a part: where there are only parts, any of these, as to look what one names takes long in a class."""
    return submission.modules if submission.modules.keys() <= set(parts) else submission.code_of(part)


def _wording(submission: Submission, syllabus: Syllabus, given: Given) -> dict[str, Wording]:
    """Return the wording of each part, and of the modules that are no parts and run with it."""
    parts = [part.name for part in syllabus.parts if part.name in submission.modules]
    of_path = {source.path: wording_of(source.text) - given.wording for source in submission.modules.values()}
    of_parts = {name: of_path.pop(submission.modules[name].path) for name in parts}
    return {
        name: wording.union(*(of_path.get(source.path, ()) for source in _code_of(submission, name, parts).values()))
        for name, wording in of_parts.items()
    }


def known_ways(known: Iterable[Known], syllabus: Syllabus, given: Given) -> dict[str, list[KnownWay]]:
    """Return the fingerprints of known right ways, by step; without those that everybody was given."""
    ways: dict[str, list[KnownWay]] = {}
    of_text: dict[tuple[str, str], Modules] = {}
    for one in known:
        part, _, step = one.step.partition(".")
        if (part, one.text) not in of_text:
            steps = {part: [step.name for step in syllabus.part(part).steps]}
            of_text[part, one.text] = Modules({part: Source.module(one.label, one.text)}, steps)
        reading = of_text[part, one.text].read(part, step)
        if reading and (found := reading.fingerprints() - given.fingerprints):
            ways.setdefault(one.step, []).append(KnownWay(one.label, found))
    return ways


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

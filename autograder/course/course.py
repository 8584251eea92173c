"""A course: what its `course.toml` says, and the modules beside it.

    course.toml              title, parts in order, what no step may use
    course/PART/steps.py     the part's steps, as `PART`
    course/PART/mistakes.py  known wrong implementations, as `BANK`; for instructors, never in a release
    solutions/PART.py        the reference

The grader never imports a course by name: it asks the `Course` for all that it needs.
"""

import functools
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module, invalidate_caches
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec

from autograder.course.counting import Counting, problems_with_counting, read_counting
from autograder.course.errors import FILE, BrokenCourse, refuse, what_happened
from autograder.course.model import NO_WORDS, Mistake, Part, Text, Words

if TYPE_CHECKING:
    from autograder.course.answer import Judge  # with NumPy, which takes a tenth of a second

RUNGS = ("where", "what", "how")
"""Where it is, what is wrong there, how it would be right."""

PACKAGES = ("course", "workbench")
"""The folders of a course that are imported, under their own names; pages import `solutions`, too."""


@dataclass(frozen=True)
class Widget:
    """A custom element of the course's pages: the attributes that it must have, and those that it may have."""

    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()

    def lacks(self, attributes: Iterable[str]) -> list[str]:
        """Return which it must have and are not given."""
        return sorted({*self.needs} - {*attributes})

    def does_not_know(self, attributes: Iterable[str]) -> list[str]:
        """Return which are given and are none of its own."""
        return sorted({*attributes} - {*self.needs, *self.takes})


@dataclass(frozen=True)
class Release:
    """What students get beside exercises, notebooks and the grader: patterns of pages and files, and notes for their README."""

    pages: tuple[str, ...] = ("docs/**/*.md",)
    files: tuple[str, ...] = ()
    notes: Text = ""


@dataclass(frozen=True)
class Course:
    """One course.

    root: the folder that holds it. id: its name for other programs. parts: the names of its parts, in order. blurb: a sentence on what
    students do in it.
    verbs: commands of its own, as `module:name`. forbids: what no step may use of torch; forbidden_words: the same
    as students read it. words: what slices along dimensions are called. relations: the module of what wrong numbers may have to do
    with the right ones, empty for what holds in general. judges: the module of what is found in the numbers of some steps, empty for none. vocabulary: the module of what pages draw with, empty for none; widgets: the
    elements on them, by tag. site: the address where its pages are published, empty for nowhere. rungs: how far students are told the cause of a wrong step: one of RUNGS. slips: what this course says of a
    slip in a student's code, by its kind. hints: for who has lost a criterion though the values are right, by its name; criteria: what one is given for, as cards say it. counting: what of a class's marks counts.
    """

    root: Path
    id: str
    title: str
    parts: tuple[str, ...]
    blurb: str = ""
    verbs: Mapping[str, str] = field(default_factory=dict)
    forbids: tuple[str, ...] = ()
    forbidden_words: str = ""
    words: Words = NO_WORDS
    relations: str = ""
    judges: str = ""
    vocabulary: str = ""
    widgets: Mapping[str, Widget] = field(default_factory=dict)
    release: Release = Release()
    site: str = ""
    rungs: str = "how"
    slips: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    criteria: Mapping[str, str] = field(default_factory=dict)
    counting: Counting = field(default_factory=Counting)

    def part(self, name: str) -> Part:
        """Import a part; this imports torch. What the course forbids, each step does. Raises KeyError for a name that is no part."""
        part = self.part_as_written(name)
        judges = self.own_judges()
        steps = (
            replace(step, forbids=(*self.forbids, *step.forbids), judge=judges.get(f"{name}.{step.name}"))
            for step in part.steps
        )
        return replace(part, steps=tuple(steps))

    def part_as_written(self, name: str) -> Part:
        """Import what the author of a part wrote, which need not be one. Raises as `part` does."""
        if name not in self.parts:
            raise KeyError(name)
        part: Part = self.load(f"course.{name}.steps").PART
        return part

    def mistakes(self, part: str) -> tuple[Mistake, ...]:
        """Import the known mistakes of a part; this imports torch. A release has none."""
        return tuple(self.load(f"course.{part}.mistakes").BANK.mistakes)

    def solution(self, part: str) -> Path:
        """Return the reference module of a part; a release has none."""
        return self.root / "solutions" / f"{part}.py"

    def verb(self, name: str) -> Any:
        """Import a command of the course's own. Raises KeyError."""
        module, _, command = self.verbs[name].partition(":")
        return getattr(self.load(module), command)

    def own_relations(self) -> tuple[Any, ...]:
        """Import what wrong numbers may have to do with the right ones in this course, the most telling first. Raises BrokenCourse.

        None is what holds in general. This imports no torch.
        """
        if not self.relations:
            return ()
        try:
            return tuple(self.load(self.relations).RELATIONS)
        except Exception as error:
            what = f"{FILE}: relations is {self.relations!r}, which gives no RELATIONS: {what_happened(error)}"
            raise BrokenCourse(what) from error

    def own_judges(self) -> "Mapping[str, Judge]":
        """Import what finds something in the numbers of steps, by their paths. Raises BrokenCourse. This imports no torch."""
        if not self.judges:
            return {}
        try:
            return dict(self.load(self.judges).JUDGES)
        except Exception as error:
            what = f"{FILE}: judges is {self.judges!r}, which gives no JUDGES: {what_happened(error)}"
            raise BrokenCourse(what) from error

    def page_names(self) -> dict[str, Any]:
        """Return what the course's pages draw with, by name, in addition to what pages of any course do. Raises BrokenCourse."""
        if not self.vocabulary:
            return {}
        try:
            module = self.load(self.vocabulary)
            return {name: getattr(module, name) for name in module.__all__}
        except Exception as error:
            what = f"{FILE}: vocabulary is {self.vocabulary!r}, which has no names for pages: {what_happened(error)}"
            raise BrokenCourse(what) from error

    def load(self, module: str) -> ModuleType:
        """Import one of the course's own modules, such as `course.part1.steps`."""
        self.at_home()
        return import_module(module)

    def at_home(self) -> None:
        """Have `import course` mean this course: a process works on one at a time."""
        for name in (*PACKAGES, "solutions"):
            folder = [str(self.root / name)]
            if name not in sys.modules or list(sys.modules[name].__path__) != folder:
                forget(name)
                spec = ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = folder
                sys.modules[name] = module_from_spec(spec)


FOR_INSTRUCTORS = ("mistakes.py", "alternatives.py", "equivalent.toml")
"""What is in the folder of a part and never goes to students."""


def released_files(root: Path) -> Iterator[Path]:
    """Yield the files of a course that students may have, and that are read while a submission sits: no mistakes, no solutions."""
    yield root / FILE
    for path in (root / "course").rglob("*"):
        if path.is_file() and path.name not in FOR_INSTRUCTORS and path.parent.name != "__pycache__":
            yield path


def forget(package: str) -> None:
    """Have a package and all its modules imported again when they are next asked for."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    invalidate_caches()


def read_course(root: Path) -> Course:
    """Read what a course says of itself. Raises BrokenCourse."""
    try:
        return _course_of(root, (root / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenCourse(f"{FILE} cannot be read: {error}") from error


@functools.lru_cache(maxsize=8)
def _course_of(root: Path, text: str) -> Course:
    """Return what a text says of a course, parsed once: each child of a warm process asks for it. Raises BrokenCourse and ValueError."""
    if len(text) > LONGEST or any(len(line) > LONGEST_LINE for line in text.split("\n")):
        raise ValueError(f"it has more than {LONGEST:,} characters, or {LONGEST_LINE:,} in a line")
    data = tomllib.loads(text)
    refuse(f"{FILE}: {problem}" for problem in _problems(data))
    try:
        tables = msgspec.convert(data, _Tables)
    except msgspec.ValidationError as error:
        raise ValueError(error) from error
    refuse(f"{FILE}: {problem}" for problem in _unknown_names(data))
    return Course(
        root,
        id=data["id"],
        title=data["title"],
        parts=tuple(data["parts"]),
        blurb=tables.blurb,
        release=tables.release,
        site=tables.site,
        verbs=tables.verbs,
        forbids=tables.forbidden.names,
        forbidden_words=tables.forbidden.words,
        words=Words(tables.words),
        relations=tables.relations,
        judges=tables.judges,
        vocabulary=tables.pages.vocabulary,
        rungs=data.get("causes", {}).get("rungs", RUNGS[-1]),
        slips=tables.slips,
        hints=tables.hints,
        criteria=tables.criteria,
        counting=read_counting(data),
        widgets=tables.pages.widgets,
    )


LONGEST, LONGEST_LINE = 400_000, 4_000
"""Characters of a file and of a line: a name of many parts, `a.a.a`, takes memory that grows with the square of its length."""


@dataclass(frozen=True)
class _Forbidden:
    words: Text = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Pages:
    vocabulary: str = ""
    widgets: dict[str, Widget] = field(default_factory=dict)


@dataclass(frozen=True)
class _Tables:
    """What the file may hold, as far as it is more than a name or a number: of which types, and without control characters."""

    id: Text
    title: Text
    blurb: Text = ""
    relations: str = ""
    judges: str = ""
    site: Text = ""
    verbs: dict[Text, str] = field(default_factory=dict)
    words: dict[Text, Text] = field(default_factory=dict)
    slips: dict[Text, Text] = field(default_factory=dict)
    hints: dict[Text, Text] = field(default_factory=dict)
    criteria: dict[Text, Text] = field(default_factory=dict)
    forbidden: _Forbidden = _Forbidden()
    pages: _Pages = _Pages()
    release: Release = Release()


def _unknown_names(data: dict[str, Any]) -> Iterator[str]:
    """Yield a problem for each name in a table of a known form that means nothing there."""
    widgets = data.get("pages", {}).get("widgets", {})
    tables = {"release": (data.get("release", {}), Release)} | {
        f"pages.widgets.{tag}": (own, Widget) for tag, own in widgets.items()
    }
    for place, (table, kind) in tables.items():
        known = [one.name for one in fields(kind)]
        for name in table.keys() - {*known}:
            yield f"{place} has {name!r}, which there is not; expected some of {', '.join(known)}"


def _problems(data: dict[str, Any]) -> Iterator[str]:
    for name in ("id", "title"):
        if not isinstance(data.get(name), str) or not data[name].strip():
            yield f'{name} is {data.get(name)!r}; expected a text, such as `{name} = "..."`'
    parts = data.get("parts")
    if not isinstance(parts, list) or not parts or not all(isinstance(name, str) and name for name in parts):
        yield f'parts is {parts!r}; expected the names of the parts in order, such as `parts = ["part1_scores"]`'
    elif wrong := [name for name in parts if not name.isidentifier()]:
        yield f"parts names {wrong[0]!r}, which is no name of a Python module"
    elif len(set(parts)) < len(parts):
        yield "parts names a part twice"
    verbs = data.get("verbs", {})
    if not isinstance(verbs, dict) or not all(isinstance(verb, str) and ":" in verb for verb in verbs.values()):
        yield f'verbs is {verbs!r}; expected commands by name, such as `train = "workbench.train:train"`'
    site = data.get("site", "")
    if not isinstance(site, str) or (site and not site.startswith(("https://", "http://"))):
        yield f'site is {site!r}; expected where the pages are published, such as `site = "https://example.org/course"`'
    words = data.get("words", {})
    if not isinstance(words, dict) or not all(isinstance(word, str) and word for word in words.values()):
        yield f'words is {words!r}; expected what slices along dimensions are called, such as `b = "photo"`'
    causes = data.get("causes", {})
    if not isinstance(causes, dict) or causes.get("rungs", RUNGS[-1]) not in RUNGS:
        yield f'causes is {causes!r}; expected how far students are told a cause, such as `rungs = "what"` of {", ".join(RUNGS)}'
    slips = data.get("slips", {})
    if not isinstance(slips, dict) or not all(isinstance(says, str) and says.strip() for says in slips.values()):
        yield f'slips is {slips!r}; expected what is said of a slip, by its kind, such as `dimension = "You sum over the photos."`'
    for table, example in (
        ("hints", "Which dimension is the last one?"),
        ("criteria", "given for several photos at once"),
    ):
        texts = data.get(table, {})
        if not isinstance(texts, dict) or not all(isinstance(text, str) and text.strip() for text in texts.values()):
            yield f'{table} is {texts!r}; expected texts by the names of criteria, such as `batch = "{example}"`'
    forbidden = data.get("forbidden", {})
    names = forbidden.get("names", []) if isinstance(forbidden, dict) else forbidden
    if not isinstance(names, list) or not all(isinstance(name, str) and name.isidentifier() for name in names):
        yield f'forbidden.names is {names!r}; expected names of functions without dots, such as `["softmax"]`'
    if isinstance(parts, list) and parts and all(isinstance(name, str) for name in parts):
        yield from problems_with_counting(data, parts)

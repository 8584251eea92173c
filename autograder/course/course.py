"""A course: the content of its `course.toml`, and the modules in its folder.

    course.toml              title, parts in order, functions that no step may use
    course/PART/steps.py     defines `PART`, a Part with its steps
    course/PART/mistakes.py  defines the known mistakes of each step; for instructors, never in a release
    solutions/PART.py        the reference module

The grader imports modules of a course only through a `Course`.
"""

import functools
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from importlib import import_module, invalidate_caches
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from math import inf
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from autograder.course.errors import FILE, BrokenCourse, author_errors
from autograder.course.model import CONTROLS, NO_WORDS, Mistake, Name, NonEmpty, Part, Text, Words, mistakes_in

if TYPE_CHECKING:
    from autograder.course.answer import Judge  # imports NumPy, which takes 0.1 s

RUNGS: Final = ("where", "what", "how")
"""The levels of an explanation. `where` gives a line, `what` adds the mistake, `how` the edit."""

PACKAGES = ("course", "workbench")
"""The Python packages in a course's folder, besides `solutions` with the reference modules."""


class Widget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A custom HTML element of pages. needs: required attributes. takes: optional attributes."""

    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


class Release(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Additions to a release. pages, files: globs. notes: README text. wheel: the name for pip."""

    pages: tuple[str, ...] = ("docs/**/*.md",)
    files: tuple[str, ...] = ()
    notes: Text = ""
    wheel: Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z0-9][\w.-]*)?\Z")] = ""


class Forbidden(msgspec.Struct, frozen=True):
    """Torch functions that no step may use. words: the description of `names` for students."""

    words: Text = ""
    names: tuple[Name, ...] = ()


class Pages(msgspec.Struct, frozen=True):
    """Settings of web pages. widgets: the custom HTML elements that pages may contain, by tag.

    vocabulary: the module whose `__all__` lists the names for code in pages; empty for no names.
    """

    vocabulary: str = ""
    widgets: Mapping[str, Widget] = {}


class Causes(msgspec.Struct, frozen=True):
    """Settings for explanations of wrong answers. rungs: the last level of RUNGS to show students."""

    rungs: Literal["where", "what", "how"] = RUNGS[-1]


Amount = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Weight(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of a step. factor: multiplies the step's points; 0 excludes the step.

    bonus: True if the step's points add to the sum of points, but not to the maximum.
    """

    factor: Amount = 1.0
    bonus: bool = False

    @property
    def words(self) -> str:
        """The weight in words, such as `counts 2 times`; empty for the default weight."""
        if not self.factor:
            return "not counted"
        times = "" if self.factor == 1 else f"counts {self.factor:g} times"
        return ", ".join(filter(None, ["a bonus" if self.bonus else "", times]))


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deduction for late work: a percentage of the work's points for each day or part of a day.

    at_most_days: the days after which work earns nothing. grace_minutes: added to the due time
    before days are counted. at_most_percent: the largest deduction within at_most_days.
    """

    percent_per_day: Amount = 0.0
    at_most_days: Amount = inf
    grace_minutes: Amount = 0.0
    at_most_percent: Amount = 100.0


class Counting(msgspec.Struct, frozen=True):
    """Rules for points, as in this example of a course.toml. late: the deduction for late work.

    [steps] # weights, by path of the step; or { bonus = true }
    "part1_basics.softmax" = { factor = 2 }
    [due] # by part
    part1_basics = 2026-10-01T23:59:00+02:00
    [late]
    percent_per_day = 10
    """

    steps: Mapping[str, Weight] = {}
    due: Mapping[str, Annotated[datetime, msgspec.Meta(tz=True)]] = {}
    late: Late = Late()

    def weight(self, path: str) -> Weight:
        """Return a step's weight, by default Weight(). path: such as `part1_basics.softmax`."""
        return self.steps.get(path, Weight())

    def due_words(self, part: str) -> str:
        """Return a part's due date in words, in the date's time zone; empty if the part has none."""
        return f"due {self.due[part]:%Y-%m-%d %H:%M %Z}" if part in self.due else ""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """One course: its folder, `root`, and the entries of its `course.toml`.

    id: the course's name for programs. blurb: a sentence on the work of students. verbs: the commands
    that the course adds to `attn`, as `module:name`. relations, judges: the modules of
    `own_relations` and `own_judges`, or "". site, repository: the URLs of the pages and of a release
    on GitHub, or "". hints, criteria: the text if a criterion fails, and its explanation, by criterion.
    """

    root: Path
    id: NonEmpty
    title: NonEmpty
    parts: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)]
    blurb: Text = ""
    verbs: Mapping[Text, Annotated[str, msgspec.Meta(pattern=r"^[\w.]+:\w+\Z")]] = {}
    words: Words = NO_WORDS
    relations: str = ""
    judges: str = ""
    forbidden: Forbidden = Forbidden()
    release: Release = Release()
    site: Annotated[str, msgspec.Meta(pattern=rf"^(https?://[^{CONTROLS}]*)?\Z")] = ""
    repository: Annotated[str, msgspec.Meta(pattern=r"(?a)^(https://github\.com/[\w-]+/[\w.-]+(?<!\.git))?\Z")] = ""
    pages: Pages = Pages()
    causes: Causes = Causes()
    hints: Mapping[Text, NonEmpty] = {}
    criteria: Mapping[Text, NonEmpty] = {}
    counting: Counting = Counting()

    def __post_init__(self) -> None:
        if len(set(self.parts)) < len(self.parts):
            raise ValueError("a part occurs twice - at `$.parts`")
        named = {*self.counting.due, *(path.partition(".")[0] for path in self.counting.steps)}
        if unknown := named - {*self.parts}:
            raise ValueError(f"[due] or [steps] names {', '.join(sorted(unknown))}; expected names that `parts` lists")

    def part(self, name: str) -> Part:
        """Import a part. Its steps get the course's forbidden names and judges. Raises KeyError."""
        if name not in self.parts:
            raise KeyError(name)
        part: Part = self.load(f"course.{name}.steps").PART
        judges, names = self.own_judges(), self.forbidden.names
        steps = (
            replace(step, forbids=(*names, *step.forbids), judge=judges.get(f"{name}.{step.name}"))
            for step in part.steps
        )
        return replace(part, steps=tuple(steps))

    def mistakes(self, part: str) -> tuple[Mistake, ...]:
        """Import the known mistakes of a part. A release for students does not contain them."""
        return tuple(mistakes_in(self.load(f"course.{part}.mistakes")))

    def solution(self, part: str) -> Path:
        """Return the path of the reference module of a part. A release does not contain it."""
        return self.root / "solutions" / f"{part}.py"

    def verb(self, name: str) -> Any:
        """Import a command that the course adds to `attn`. Raises KeyError."""
        module, _, command = self.verbs[name].partition(":")
        return getattr(self.load(module), command)

    def own_relations(self) -> tuple[Any, ...]:
        """Import the course's functions that relate wrong values to right ones. Raises BrokenCourse."""
        return tuple(self._own("relations", self.relations, "RELATIONS"))

    def own_judges(self) -> "Mapping[str, Judge]":
        """Import the course's judges, by step path. See `Judge`. Raises BrokenCourse."""
        return dict(self._own("judges", self.judges, "JUDGES"))

    def page_names(self) -> dict[str, Any]:
        """Import the names that code on the course's pages may use. Raises BrokenCourse."""
        module = self.pages.vocabulary
        return {name: self._own("vocabulary", module, name) for name in self._own("vocabulary", module, "__all__")}

    def _own(self, entry: str, module: str, name: str) -> Any:
        with author_errors(f"{FILE}: {entry} is {module!r}"):
            return getattr(self.load(module), name) if module else ()

    def load(self, module: str) -> ModuleType:
        """Import a module from the folder of the course, such as `course.part1.steps`."""
        self.at_home()
        return import_module(module)

    def at_home(self) -> None:
        """Make imports of `course`, `workbench` and `solutions` load from this course's folder."""
        for name in (*PACKAGES, "solutions"):
            folder = [str(self.root / name)]
            if name not in sys.modules or list(sys.modules[name].__path__) != folder:
                forget(name)
                spec = ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = folder
                sys.modules[name] = module_from_spec(spec)


FOR_INSTRUCTORS = ("mistakes.py", "alternatives.py", "equivalent.toml")
"""The names of files in a part's folder that no release for students contains."""


def released_files(root: Path) -> Iterator[Path]:
    """Yield the files of a course that students may get and child processes may read."""
    yield root / FILE
    for path in (root / "course").rglob("*"):
        if path.is_file() and path.name not in FOR_INSTRUCTORS and path.parent.name != "__pycache__":
            yield path


def forget(package: str) -> None:
    """Remove a package and its modules from `sys.modules`; the next import loads them again."""
    for name in [name for name in [*sys.modules] if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    invalidate_caches()


def read_course(root: Path) -> Course:
    """Read the `course.toml` in the root of a course. Raises BrokenCourse."""
    try:
        return _course_of(root, (root / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, msgspec.ValidationError) as error:
        raise BrokenCourse(f"{FILE} cannot be read: {str(error).replace('$.counting', '$')}") from error


@functools.lru_cache(maxsize=8)
def _course_of(root: Path, text: str) -> Course:
    """Parse the text of a course.toml, with a cache, which forked processes inherit."""
    data = tomllib.loads(text)
    counting = {name: data[name] for name in Counting.__struct_fields__ if name in data}
    return msgspec.convert(
        data | {"root": root, "words": {"slices": data.get("words", {})}, "counting": counting}, Course
    )

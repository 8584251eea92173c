"""Check the laws of cases. Cases that keep the laws catch code that is right only by accident.

The laws: each dimension has size 1 in one call and a unique size in another, and each argument
with a default is left out in one call and given in another. The calls are those of the reference.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from autograder.course.course import Course
from autograder.course.model import Part, Step
from autograder.course.probing import failure_of, observe
from autograder.course.shapes import LEADING, bind_all
from autograder.exam.build import draw_cases, load_part, place_of_step, run_module
from autograder.exam.model import Scope
from autograder.exam.reference import dims_of, read

SEED = 1
"""Any seed will do, because sizes and defaults are the same in every draw."""


@dataclass(frozen=True)
class Call:
    """A call of the reference or of one of its methods. given: the arguments that the call passed."""

    signature: inspect.Signature
    given: Mapping[str, Any]

    @property
    def sizes(self) -> dict[str, int | None]:
        """The size of each dimension that an annotation names; None if the size is unknown."""
        annotated = {name: dims_of(one.annotation) for name, one in self.signature.parameters.items()}
        dims = {name: written for name, written in annotated.items() if written is not None}
        shapes = {name: tuple(value.shape) for name, value in self.given.items() if isinstance(value, Tensor)}
        known = bind_all(dims, shapes)
        return {name: known.get(name) for written in dims.values() for name in written.split()}


def breaches(course: Course, scope: Scope = None) -> Iterator[tuple[str, str]]:
    """Yield a step's path, and advice, for each law that the step's cases break. Raises BrokenCourse.

    scope: the paths of the steps to check.
    """
    for name in course.parts:
        part, module = load_part(course, name), read(course.solution(name))
        steps = [step for step in part.steps if scope is None or f"{name}.{step.name}" in scope]
        implementations = run_module(module) if steps else {}
        for step in steps:
            calls = _calls(part, step, implementations[step.name])
            for advice in (*_sizes(step, [call.sizes for call in calls]), *_defaults(calls)):
                yield f"{name}.{step.name}", f"{place_of_step(name, step.name)}: {advice}"


def _calls(part: Part, step: Step, implementation: Callable[..., Any]) -> list[Call]:
    """Run the reference on a step's cases, and return the calls that the reference gets."""
    calls: list[Call] = []
    watched = (
        _watched_class(implementation, calls) if isinstance(implementation, type) else _watched(implementation, calls)
    )
    for case in draw_cases(part, step, implementation, SEED):
        observe(step.probe, watched, case.inputs, SEED, False, failure_of)
    return calls


def _watched_class(cls: type, calls: list[Call]) -> type:
    """Return a subclass whose methods record their calls."""
    methods = {
        name: _watched(method, calls)
        for name, method in vars(cls).items()
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_"))
    }
    return type(cls.__name__, (cls,), methods | {"__doc__": cls.__doc__, "__module__": cls.__module__})


def _watched(function: Callable[..., Any], calls: list[Call]) -> Callable[..., Any]:
    """Wrap a function to record its calls."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def watched(*arguments: Any, **named: Any) -> Any:
        calls.append(Call(signature, signature.bind(*arguments, **named).arguments))
        return function(*arguments, **named)

    return watched


def _sizes(step: Step, known: list[dict[str, int | None]]) -> Iterator[str]:
    """Yield advice unless each named dimension has size 1 in one call and a unique size in another."""
    names = [name for name in dict.fromkeys(name for sizes in known for name in sizes) if name != LEADING]
    ones = {name for name in names if any(sizes.get(name) == 1 for sizes in known)}
    if never := [name for name in names if name not in ones | {*step.never_one}]:
        yield f"never 1: {_listed(never)}; add a case with size 1, or name in never_one where that is undefined"
    if shared := [name for name in names if not any(_is_its_own(name, sizes) for sizes in known)]:
        yield f"never of a size that no other dimension has: {_listed(shared)}; add a case in which all sizes differ"


def _is_its_own(name: str, sizes: Mapping[str, int | None]) -> bool:
    size = sizes.get(name) or 1
    return size > 1 and list(sizes.values()).count(size) == 1


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _defaults(calls: list[Call]) -> Iterator[str]:
    """Yield advice unless each default is used in one call and replaced by another value in another."""
    named = {name: one.default for call in calls for name, one in call.signature.parameters.items()}
    for name, default in named.items():
        if default is inspect.Parameter.empty:
            continue
        owners = [call for call in calls if name in call.signature.parameters]
        if all(name in call.given for call in owners):
            yield f"`{name}` is always given: add a case that leaves it out, so that its default, {default!r}, is looked at"
        given = [call.given[name] for call in owners if name in call.given]
        if not any(isinstance(value, Tensor) or value != default for value in given):
            yield f"`{name}` is never anything but its default, {default!r}: add a case that gives another value"

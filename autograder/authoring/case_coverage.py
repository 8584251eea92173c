"""Check the laws of cases. Cases that keep the laws catch code that is right only by accident.

A law is about the sizes and defaults in the calls that probes make to the reference.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from torch import Tensor

from autograder.course.course import Course
from autograder.course.model import Part, Step
from autograder.course.probing import failure_of, observe
from autograder.course.shapes import LEADING, Shape, bind_all
from autograder.exam.build import draw_cases, load_part, place_of_step, run_module
from autograder.exam.model import Scope
from autograder.exam.reference import dims_of, read

Item = TypeVar("Item")

SEED = 1
"""Any seed will do, because sizes and defaults are the same in every draw."""


@dataclass(frozen=True)
class Breach:
    """A law that a step's cases break. step: its path. where: file and line of the cases. says: advice."""

    step: str
    where: str
    says: str


@dataclass(frozen=True)
class Call:
    """A call of the reference or of one of its methods. given: the arguments that the call passed."""

    signature: inspect.Signature
    given: Mapping[str, Any]

    @property
    def dims(self) -> dict[str, str]:
        """The annotated dimensions of each tensor argument, by the argument's name."""
        annotated = {name: dims_of(one.annotation) for name, one in self.signature.parameters.items()}
        return {name: dims for name, dims in annotated.items() if dims is not None}

    @property
    def shapes(self) -> dict[str, Shape]:
        """The shape of each tensor that was passed, by the argument's name."""
        return {name: tuple(value.shape) for name, value in self.given.items() if isinstance(value, Tensor)}

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each dimension that an annotation names."""
        named = {name for dims in self.dims.values() for name in dims.split()}
        return {name: size for name, size in bind_all(self.dims, self.shapes).items() if name in named}


def breaches(course: Course, scope: Scope = None) -> Iterator[Breach]:
    """Yield the laws that cases break. scope: paths of the steps to check. Raises BrokenCourse."""
    for name in course.parts:
        part, module = load_part(course, name), read(course.solution(name))
        steps = [step for step in part.steps if scope is None or f"{name}.{step.name}" in scope]
        implementations = run_module(module) if steps else {}
        for step in steps:
            where = place_of_step(name, step.name)
            calls = calls_of(part, step, implementations[step.name])
            yield from (Breach(f"{name}.{step.name}", where, says) for says in broken(step, calls))


def broken(step: Step, calls: list[Call]) -> Iterator[str]:
    """Yield advice on each law that a step's cases break."""
    yield from _sizes(step, calls)
    yield from _defaults(calls)


# The calls that the cases make


def calls_of(part: Part, step: Step, implementation: Callable[..., Any]) -> list[Call]:
    """Run the reference on a step's cases and return its calls."""
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
        name: _watched(method, calls, first=1)
        for name, method in vars(cls).items()
        if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_"))
    }
    return type(cls.__name__, (cls,), methods | {"__doc__": cls.__doc__, "__module__": cls.__module__})


def _watched(function: Callable[..., Any], calls: list[Call], first: int = 0) -> Callable[..., Any]:
    """Wrap a function to record its calls. first: how many arguments to skip; 1 for a method."""
    signature = inspect.signature(function)
    signature = signature.replace(parameters=list(signature.parameters.values())[first:])

    @functools.wraps(function)
    def watched(*arguments: Any, **named: Any) -> Any:
        try:
            given = dict(signature.bind(*arguments[first:], **named).arguments)
        except TypeError:  # the call below raises it
            given = {}
        calls.append(Call(signature, given))
        return function(*arguments, **named)

    return watched


# The laws


def _sizes(step: Step, calls: list[Call]) -> Iterator[str]:
    """Yield advice unless each named dimension has size 1 in one call and a unique size in another."""
    known = [call.sizes for call in calls]
    written = _in_order(name for call in calls for dims in call.dims.values() for name in dims.split())
    names = [name for name in written if name != LEADING]
    ones = {name for name in names if any(sizes.get(name) == 1 for sizes in known)}
    undefined = set(step.never_one)
    if never := [name for name in names if name not in ones | undefined]:
        yield f"never 1: {_listed(never)}; add a case with size 1, or name in never_one where that is undefined"
    if shared := [name for name in names if not any(_is_its_own(name, sizes) for sizes in known)]:
        yield f"never of a size that no other dimension has: {_listed(shared)}; add a case in which all sizes differ"
    if wrong := [name for name in step.never_one if name in ones or name not in names]:
        yield f"1 in some case, or no dimension of an argument: {_listed(wrong)}; take out of never_one"


def _is_its_own(name: str, sizes: Mapping[str, int]) -> bool:
    size = sizes.get(name, 1)
    return size > 1 and list(sizes.values()).count(size) == 1


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _defaults(calls: list[Call]) -> Iterator[str]:
    """Yield advice unless each default is used in one call and replaced by another value in another."""
    defaults = {
        name: one.default
        for call in calls
        for name, one in call.signature.parameters.items()
        if one.default is not one.empty
    }
    for name, default in defaults.items():
        owners = [call for call in calls if name in call.signature.parameters]
        if all(name in call.given for call in owners):
            yield f"`{name}` is always given: add a case that leaves it out, so that its default, {default!r}, is looked at"
        if not any(name in call.given and _differs(call.given[name], default) for call in owners):
            yield f"`{name}` is never anything but its default, {default!r}: add a case that gives another value"


def _differs(value: Any, default: Any) -> bool:
    return isinstance(value, Tensor) or bool(value != default)


def _in_order(items: Iterable[Item]) -> list[Item]:
    """Return the items without repetitions, in order."""
    return list(dict.fromkeys(items))

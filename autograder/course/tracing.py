"""Tracing code while it runs: every torch operation that it calls, where it is called, and what it makes."""

import contextlib
import functools
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from types import CodeType, FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as modules
from torch.overrides import TorchFunctionMode

from autograder.course.answer import LARGEST_INTEGER, MOST_NUMBERS, Answer, Array, Failure
from autograder.course.operations import tensors_in
from autograder.course.probing import numbers_of
from autograder.course.shapes import Shape
from autograder.course.trace import (
    MOST_KEPT,
    MOST_PLACES,
    OUTSIDE,
    Call,
    Made,
    Numbers,
    Operation,
    Stop,
    Trace,
    numbers_in,
)

Describe = Callable[[BaseException], Failure]

MOST_RUNS = 5_000
"""Of code that runs more operations, or at more places, the first are noted, so that long loops end in time."""

ON_ATTRIBUTES = (
    modules.register_module_parameter_registration_hook,
    modules.register_module_buffer_registration_hook,
    modules.register_module_module_registration_hook,
)
"""How torch reports what a module is given as an attribute."""

SIGNS = {"matmul": "@", "rmatmul": "@", "getitem": "[ ]", "add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Operations that students write as signs."""


def trace(run: Callable[[Describe], Answer], describe: Describe, paths: Collection[str]) -> tuple[Answer, Trace]:
    """Trace some code while it is observed.

    run: observes an implementation, and describes by what it is handed the exception that ends it. paths: of the code, as it was
    compiled. describe: turns an exception into a failure.
    """
    tracer = _Tracer(frozenset(paths))

    def described(error: BaseException) -> Failure:
        tracer.stop(error)
        return describe(error)

    with contextlib.ExitStack() as stack:
        for register in ON_ATTRIBUTES:
            stack.callback(register(tracer.see_attribute).remove)
        stack.enter_context(tracer)
        answer = run(described)
    return answer, tracer.trace()


@dataclass(frozen=True)
class _Place:
    """An instruction of the code that runs. library: the function of a library that it called, which is at work."""

    call: int
    frame: FrameType
    at: int
    library: FrameType | None


@dataclass
class _Noted:
    """What is known of an operation from all its runs in one call. runs: the shapes and numbers that each of them made."""

    number: int
    place: _Place
    name: str
    takes: tuple[int, ...] = ()
    runs: list[list[tuple[Shape, Array | None]]] = field(default_factory=list)

    def operation(self, room: int) -> Operation:
        """Return it as plain data. room: how many numbers there is room for."""
        code, every = self.place.frame.f_code, [one for run in self.runs for one in run]
        arrays = [array for _, array in every if array is not None]
        kept = [arrays[-1:]] if every[-1][1] is not None else []
        kept += (
            [arrays] if 1 < len(arrays) == len(every) and sum(array.size for array in arrays) <= MOST_NUMBERS else []
        )
        room_taken = accumulate(sum(array.size for array in several) for several in kept)
        numbers = (
            Numbers(numbers_in(several)) for several, taken in zip(kept, room_taken, strict=True) if taken <= room
        )
        shapes = tuple(dict.fromkeys(shape for shape, _ in every if shape != every[-1][0]))
        made = Made(self.name, self.takes, (*shapes, every[-1][0]), len(every), tuple(numbers))
        return Operation(self.place.call, code.co_filename, _span(code, self.place.at), _function(code), made)


class _Tracer(TorchFunctionMode):
    """Sees every operation of torch while it is entered, and notes those that the code of some files asks for."""

    def __init__(self, paths: frozenset[str]) -> None:
        super().__init__()
        self._paths = paths
        self._calls: dict[FrameType, Call] = {}
        self._noted: dict[tuple[int, CodeType, int, str], _Noted] = {}
        self._makers: dict[int, tuple[int, Tensor]] = {}
        self._attributes: dict[int, str] = {}
        self._runs = 0
        self._latest: FrameType | None = None
        self._refused: tuple[BaseException | None, tuple[tuple[str, Shape], ...], tuple[int, ...]] = (None, (), ())
        self._stop: Stop | None = None
        self._ends: dict[int, None] = {}

    def trace(self) -> Trace:
        """Return what was noted."""
        operations, room = list[Operation](), MOST_KEPT
        for noted in self._noted.values():
            operations.append(noted.operation(room))
            room -= sum(len(numbers.flat) for numbers in operations[-1].made.numbers)
        return Trace(tuple(self._calls.values()), tuple(operations), self._stop, tuple(self._ends))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, and note it."""
        place, taken = self._place(), list(tensors_in((*args, *(kwargs or {}).values())))
        takes = tuple(self._makers[id(tensor)][0] if id(tensor) in self._makers else OUTSIDE for tensor in taken)
        try:
            result = func(*args, **(kwargs or {}))
        except Exception as error:
            if place:
                self._refused = (
                    error,
                    tuple(self._named(taken, place.frame)),
                    tuple(number for number in takes if number != OUTSIDE),
                )
            raise
        if not place:
            self._ends |= dict.fromkeys(number for number in takes if number != OUTSIDE)
        else:
            made = args[0] if func.__name__ == "__setitem__" else result
            self._note(place, _name_of(func), takes, list(tensors_in(made)))
        return result

    def see_attribute(self, owner: nn.Module, name: str, value: Any) -> None:
        """Note a parameter, a buffer or a layer that a module is given."""
        if place := self._place():
            own = f"self.{name}" if place.frame.f_locals.get("self") is owner else name
            inner = vars(value).get("_parameters", {}) if isinstance(value, nn.Module) else {}
            with torch._C.DisableTorchFunction():
                for attribute, one in ((own, value), *((f"{own}.{name}", one) for name, one in inner.items())):
                    self._note(place, attribute, (), list(tensors_in(one)), attribute)
                    self._attributes[id(one)] = attribute

    def _place(self) -> _Place | None:
        """Return which part of the code is running; None if a library works on its own, or enough is recorded."""
        frame, library = sys._getframe(2), None
        while frame.f_code.co_filename not in self._paths:
            if frame.f_code.co_name == "__init__" or not frame.f_back:
                return None  # a layer draws its first numbers, or it is the probe that is at work
            frame, library = frame.f_back, frame
        if self._runs >= MOST_RUNS or len(self._noted) >= MOST_PLACES:
            return None
        outermost, outer = frame, frame.f_back
        while outer:
            outermost, outer = (outer if outer.f_code.co_filename in self._paths else outermost), outer.f_back
        return _Place(self._call(outermost), frame, frame.f_lasti, library)

    def _call(self, outermost: FrameType) -> int:
        """Return the number of the call from outside to a function that runs, or ran last."""
        self._calls.setdefault(outermost, Call(_function(outermost.f_code), tuple(_given_to(outermost))))
        return list(self._calls).index(outermost)

    def _note(self, place: _Place, name: str, takes: tuple[int, ...], made: list[Tensor], attribute: str = "") -> None:
        """Note a run of an operation. What a library does in one call is one operation: its last."""
        if not made:
            return
        key = place.call, place.frame.f_code, place.at, attribute
        if key not in self._noted and len(self._noted) >= MOST_PLACES:
            return
        self._runs += 1
        noted = self._noted.setdefault(key, _Noted(len(self._noted), place, name))
        if noted.runs and place.library and place.library is self._latest:
            noted.runs.pop()
        self._latest, noted.name = place.library, name
        noted.takes += tuple(number for number in takes if not noted.runs or number not in noted.takes)
        noted.runs.append([(tuple(tensor.shape), _numbers(name, tensor)) for tensor in made])
        self._makers |= {id(tensor): (noted.number, tensor) for tensor in made}

    def _named(self, tensors: list[Tensor], frame: FrameType) -> Iterator[tuple[str, Shape]]:
        """Yield the shape of each tensor that an operation took, and its name there, if any."""
        own = getattr(frame.f_locals.get("self"), "__dict__", {})
        names = self._attributes | {id(value): f"self.{name}" for name, value in own.items()}
        names |= {id(value): name for name, value in frame.f_locals.items()}
        for tensor in tensors:
            yield names.get(id(tensor), ""), tuple(tensor.shape)

    def stop(self, error: BaseException) -> None:
        """Record where an exception came from, if that is the code."""
        stack = traceback.walk_tb(error.__traceback__)
        own = [(frame, line) for frame, line in stack if frame.f_code.co_filename in self._paths]
        if own and own[-1][0].f_code.co_name != "<module>":
            lines = tuple((frame.f_code.co_filename, line, _function(frame.f_code)) for frame, line in own)
            refused = self._refused[1:] if self._refused[0] is error else ((), ())
            self._stop = Stop(self._call(own[0][0]), lines, *refused)


@functools.lru_cache(maxsize=1_000)
def _span(code: CodeType, at: int) -> tuple[int, ...]:
    """Return the first and the last line of an instruction's expression, its first column and its last."""
    return tuple(place or 0 for place in list(code.co_positions())[at // 2])


def _function(code: CodeType) -> str:
    """Return the name of the function or method that some code belongs to; a lambda or comprehension to what encloses it."""
    return code.co_qualname.replace(".<locals>", "").partition(".<")[0]


def _given_to(frame: FrameType) -> Iterator[tuple[str, Shape | str]]:
    """Yield the arguments of a function that begins: the shape of each tensor, and each number."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if isinstance(value, Tensor):
            yield name, tuple(value.shape)
        elif isinstance(value, bool | int | float) and abs(value) < LARGEST_INTEGER:
            yield name, str(value)


def _numbers(name: str, tensor: Tensor) -> Array | None:
    """Return the numbers of what an operation made; None if there are none yet, or none are visible, as within `torch.vmap`."""
    with contextlib.suppress(RuntimeError):
        return None if "empty" in name else numbers_of(tensor)
    return None


def _name_of(func: Any) -> str:
    owner = func.__self__ if func.__name__ == "__get__" else func  # of a property, such as `T`
    name = str(owner.__name__)
    name = name.strip("_") if name.startswith("__") else name
    return SIGNS.get(name, name)

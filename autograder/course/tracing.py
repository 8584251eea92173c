"""Trace an implementation: record each torch operation, its line in the source and its results."""

import contextlib
import functools
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
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
from autograder.course.trace import OUTSIDE, Call, Made, Numbers, Operation, Stop, Trace, numbers_in

Describe = Callable[[BaseException], Failure]

MOST_RUNS, MOST_PLACES, MOST_KEPT = 5_000, 300, 1_000_000
"""The most runs, operations and tensor elements in a trace, so that it fits into a message."""

ON_ATTRIBUTES = (
    modules.register_module_parameter_registration_hook,
    modules.register_module_buffer_registration_hook,
    modules.register_module_module_registration_hook,
)
"""Torch's functions to register hooks on the parameters, buffers and layers assigned to modules."""

SIGNS = {"matmul": "@", "rmatmul": "@", "getitem": "[ ]", "add": "+", "sub": "-", "mul": "*", "div": "/"}
"""The signs of operations that students write as operators, by torch's names."""


def trace(run: Callable[[Describe], Answer], describe: Describe, paths: Collection[str]) -> tuple[Answer, Trace]:
    """Call `run` with tracing. Return the answer of `run` and the trace.

    run: a function that runs an implementation. Its argument is a function that converts an
    exception into a failure by `describe`, and records the exception's location.
    paths: the file names with which the traced source was compiled.
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


_Place = tuple[int, FrameType, FrameType | None]
"""The index of a call in the trace, the innermost frame of the traced source, and the frame of the
library function that this frame called, if any."""


@dataclass
class _Noted:
    """An operation with all its runs during one call of the implementation.

    number, call: the indices of the operation and the call in the trace. code, at: the code object
    and the offset of the instruction. takes: the indices of the operations that made the operands.
    runs: for each run, the shape and the values of each tensor that the run made.
    """

    number: int
    call: int
    code: CodeType
    at: int
    name: str
    takes: tuple[int, ...] = ()
    runs: list[list[tuple[Shape, Array | None]]] = field(default_factory=list)

    def operation(self, room: int) -> Operation:
        """Return the operation as plain data, without values if there are more than `room`."""
        every = [one for run in self.runs for one in run]
        last_shape, last = every[-1]
        arrays = [array for _, array in every if array is not None]
        kept = [[last]] if last is not None else []
        if 1 < len(arrays) == len(every) and sum(array.size for array in arrays) <= MOST_NUMBERS:
            kept.append(arrays)
        if sum(array.size for several in kept for array in several) > room:
            kept = []
        shapes = dict.fromkeys(shape for shape, _ in every if shape != last_shape)
        numbers = tuple(Numbers(numbers_in(several)) for several in kept)
        made = Made(self.name, self.takes, (*shapes, last_shape), len(every), numbers)
        return Operation(self.call, self.code.co_filename, _span(self.code, self.at), _function(self.code), made)


class _Tracer(TorchFunctionMode):
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
        """Return the trace of the recorded operations."""
        operations, room = list[Operation](), MOST_KEPT
        for noted in self._noted.values():
            operations.append(noted.operation(room))
            room -= sum(len(numbers.flat) for numbers in operations[-1].made.numbers)
        return Trace(tuple(self._calls.values()), tuple(operations), self._stop, tuple(self._ends))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and record its results, or its operands if the operation fails."""
        place, taken = self._place(), list(tensors_in((*args, *(kwargs or {}).values())))
        takes = tuple(self._makers[id(tensor)][0] if id(tensor) in self._makers else OUTSIDE for tensor in taken)
        own = [number for number in takes if number != OUTSIDE]
        try:
            result = func(*args, **(kwargs or {}))
        except Exception as error:
            if place:
                self._refused = error, tuple(self._named(taken, place[1])), tuple(own)
            raise
        if not place:
            self._ends |= dict.fromkeys(own)
        else:
            made = args[0] if func.__name__ == "__setitem__" else result
            self._note(place, _name_of(func), takes, list(tensors_in(made)))
        return result

    def see_attribute(self, owner: nn.Module, name: str, value: Any) -> None:
        """Record a parameter, a buffer or a layer that is assigned to a module."""
        if place := self._place():
            own = f"self.{name}" if place[1].f_locals.get("self") is owner else name
            inner = vars(value).get("_parameters", {}) if isinstance(value, nn.Module) else {}
            with torch._C.DisableTorchFunction():
                for attribute, one in ((own, value), *((f"{own}.{name}", one) for name, one in inner.items())):
                    self._note(place, attribute, (), list(tensors_in(one)), attribute)
                    self._attributes[id(one)] = attribute

    def _place(self) -> _Place | None:
        """Return the current location in the traced source; None elsewhere or in a full trace."""
        frame, library = sys._getframe(2), None
        while frame.f_code.co_filename not in self._paths:
            if frame.f_code.co_name == "__init__" or not frame.f_back:
                return None  # a layer initialises its parameters, or the probe runs
            frame, library = frame.f_back, frame
        if self._runs >= MOST_RUNS or len(self._noted) >= MOST_PLACES:
            return None
        own = [one for one, _ in traceback.walk_stack(frame) if one.f_code.co_filename in self._paths]
        return self._call(own[-1]), frame, library

    def _call(self, outermost: FrameType) -> int:
        self._calls.setdefault(outermost, Call(_function(outermost.f_code), tuple(_given_to(outermost))))
        return list(self._calls).index(outermost)

    def _note(self, place: _Place, name: str, takes: tuple[int, ...], made: list[Tensor], attribute: str = "") -> None:
        """Record a run of an operation. Of the runs in one call of a library, keep only the last."""
        call, frame, library = place
        key = call, frame.f_code, frame.f_lasti
        if not made or ((*key, attribute) not in self._noted and len(self._noted) >= MOST_PLACES):
            return
        self._runs += 1
        noted = self._noted.setdefault((*key, attribute), _Noted(len(self._noted), *key, name))
        if noted.runs and library and library is self._latest:
            noted.runs.pop()
        self._latest, noted.name = library, name
        noted.takes += tuple(number for number in takes if not noted.runs or number not in noted.takes)
        noted.runs.append([(tuple(tensor.shape), _numbers(name, tensor)) for tensor in made])
        self._makers |= {id(tensor): (noted.number, tensor) for tensor in made}

    def _named(self, tensors: list[Tensor], frame: FrameType) -> Iterator[tuple[str, Shape]]:
        own = getattr(frame.f_locals.get("self"), "__dict__", {})
        names = self._attributes | {id(value): f"self.{name}" for name, value in own.items()}
        names |= {id(value): name for name, value in frame.f_locals.items()}
        for tensor in tensors:
            yield names.get(id(tensor), ""), tuple(tensor.shape)

    def stop(self, error: BaseException) -> None:
        """Record the location of an exception that passed through the traced source."""
        stack = traceback.walk_tb(error.__traceback__)
        own = [(frame, line) for frame, line in stack if frame.f_code.co_filename in self._paths]
        if own and own[-1][0].f_code.co_name != "<module>":
            lines = tuple((frame.f_code.co_filename, line, _function(frame.f_code)) for frame, line in own)
            refused = self._refused[1:] if self._refused[0] is error else ((), ())
            self._stop = Stop(self._call(own[0][0]), lines, *refused)


@functools.lru_cache(maxsize=1_000)
def _span(code: CodeType, at: int) -> tuple[int, ...]:
    """Return the first and last line, and first and last column, of an instruction's expression."""
    return tuple(place or 0 for place in list(code.co_positions())[at // 2])


def _function(code: CodeType) -> str:
    return code.co_qualname.replace(".<locals>", "").partition(".<")[0]


def _given_to(frame: FrameType) -> Iterator[tuple[str, Shape | str]]:
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if isinstance(value, Tensor):
            yield name, tuple(value.shape)
        elif isinstance(value, bool | int | float) and abs(value) < LARGEST_INTEGER:
            yield name, str(value)


def _numbers(name: str, tensor: Tensor) -> Array | None:
    """Return a result's values; None if these are uninitialised or, in `torch.vmap`, unreadable."""
    with contextlib.suppress(RuntimeError):
        return None if "empty" in name else numbers_of(tensor)
    return None


def _name_of(func: Any) -> str:
    owner = func.__self__ if func.__name__ == "__get__" else func  # a property, such as `T`
    name = str(owner.__name__)
    name = name.strip("_") if name.startswith("__") else name
    return SIGNS.get(name, name)

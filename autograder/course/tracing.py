"""Following an implementation line by line: Python tells which line runs, torch which tensors its operations return."""

import inspect
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograder.course.answer import Failure, TensorValue, Value
from autograder.course.flow import MOST_SKIPPED, MOST_TIMES, NOTHING, RETURN, Flow, Form, Line, Made
from autograder.course.probing import observe
from autograder.course.shapes import Shape
from autograder.course.sightings import Sighting, see, sightings_in
from autograder.course.statements import Statements

TORCH = str(Path(torch.__file__).parent)
OPTIMISERS = str(Path(TORCH) / "optim")

WITHIN = "<"
"""How the names of lambdas and comprehensions begin: what happens in them belongs to the line that they stand on."""

SIGNS = {"matmul": "@", "rmatmul": "@", "getitem": "[ ]", "add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Operations that students write as signs."""


class OutOfTime(BaseException):
    """Raised in the implementation's own code when it has run for too long; no `except Exception` there catches it."""


def follow(
    probe: Callable[..., Any] | None,
    implementation: Callable[..., Any],
    inputs: Mapping[str, Any],
    seed: int,
    sources: Mapping[str, str],
    describe: Callable[[BaseException], Failure],
    seconds: float,
) -> Flow:
    """Run an implementation on one case, as `observe` does, and return the flow of shapes in its own code.

    sources: the text of each file of the implementation's, by the path that its code was compiled under.
    seconds: how long its own lines may run.
    """
    tracer = _Tracer(sources, time.monotonic() + seconds)

    def described(error: BaseException) -> Failure:
        sys.settrace(None)
        tracer.stop(error)
        if isinstance(error, OutOfTime):
            return Failure("timed_out", f"this line was still running after {seconds:g} s")
        return describe(error)

    before = sys.gettrace()
    try:
        with _Operations(tracer.see):
            sys.settrace(tracer.enter)
            answer = observe(probe, implementation, inputs, seed, False, described)
    finally:
        sys.settrace(before)
    outputs = {name: _form(value) for name, value in answer.outputs.items()}
    return Flow(tracer.lines(), outputs, answer.failure, tracer.last is not None, tracer.operands)


def _form(value: Value) -> Form:
    if isinstance(value, TensorValue):
        return value.shape
    return NOTHING if value.value is None else value.type


class _Operations(TorchFunctionMode):
    """Shows every operation of torch to `see`: which, what it took, and what it returned or raised."""

    def __init__(self, see: Callable[[Any, Any, Any], None]) -> None:
        super().__init__()
        self._see = see

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        try:
            result = func(*args, **(kwargs or {}))
        except Exception as error:
            self._see(func, args, error)
            raise
        self._see(func, args, result)
        return result


class _Running:
    """A function of the implementation's while it runs: the statement that it is at, and what it held before."""

    def __init__(self, frame: FrameType) -> None:
        self.statement = 0
        self.held = sightings_in(frame)
        self.results: list[tuple[str, Tensor]] = []
        self.raising = False


Place = tuple[str, int, str]
"""The path and the first line of a statement, and the function that it belongs to."""

Found = dict[tuple[str, int], Made]
"""What came to be on a line: by its name, and which of several of that name it was."""


class _Tracer:
    """Collects lines.

    last: where the implementation raised, if it did. operands: what the operation took that raised.
    """

    def __init__(self, sources: Mapping[str, str], deadline: float) -> None:
        self._sources = {path: Statements(text) for path, text in sources.items()}
        self._deadline = deadline
        self._running: dict[FrameType, _Running] = {}
        self._calls = 0
        self._skipped = 0
        self._visits: Counter[tuple[CodeType, int]] = Counter()
        self._found: dict[Place, tuple[int, Found]] = {}
        self._passing: BaseException | None = None
        self._refused: tuple[BaseException, tuple[tuple[str, Shape], ...]] | None = None
        self.last: Place | None = None
        self.operands: tuple[tuple[str, Shape], ...] = ()

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Begin to follow a function, if it is the implementation's own."""
        if not self._is_own(frame):
            return None
        if not self._running:
            self._calls += 1  # it is the probe that calls
        self._running[frame] = _Running(frame)
        return self._go_on

    def _go_on(self, frame: FrameType, event: str, arg: Any) -> Any:
        """See a line begin, an exception pass, or a function end."""
        running = self._running[frame]
        if event == "line":
            self._begin(frame, running)
        elif event == "exception":
            running.raising = True
            if arg[1] is not self._passing:  # further up, the same one passes through other lines
                self._passing = arg[1]
                self._finish(frame, running, anew=True)
        elif event == "return":
            returns = not running.raising and not frame.f_code.co_flags & inspect.CO_GENERATOR
            if returns and frame.f_code.co_name != "__init__":
                self._finish(frame, running, {RETURN: see(arg)})
            elif not running.raising:
                self._finish(frame, running)
            del self._running[frame]
        return self._go_on

    def _begin(self, frame: FrameType, running: _Running) -> None:
        running.raising = False
        if time.monotonic() > self._deadline:
            raise OutOfTime
        if self._skipped > MOST_SKIPPED:
            return
        statement = self._place(frame, frame.f_lineno)[1]
        if statement != running.statement:
            self._finish(frame, running)
            running.statement = statement

    def _finish(
        self, frame: FrameType, running: _Running, returned: Mapping[str, Sighting] | None = None, anew: bool = False
    ) -> None:
        """Enter what came to be since the statement began; in place of what came to be before, if `anew`.

        What the probe calls again later is not counted again: only its shapes are added, where they are others.
        """
        self._visits[frame.f_code, running.statement] += 1
        if self._visits[frame.f_code, running.statement] > MOST_TIMES and not returned and not anew:
            running.results.clear()
            self._skipped += 1
            return
        held = sightings_in(frame)
        changed = {name: one for name, one in held.items() if one.tensors and one.is_new(running.held.get(name))}
        results, running.held, running.results = running.results, held, []
        if running.statement:
            place = self._place(frame, running.statement)
            call, found = self._found.get(place, (self._calls, {})) if not anew else (self._calls, {})
            self._found[place] = (call, found)
            _enter(found, _folded(results, changed | dict(returned or {})), counted=call == self._calls)

    def see(self, func: Any, taken: Any, result: Any) -> None:
        """Note what an operation returned, at the line of the implementation's that called it."""
        frame = self._caller() if self._skipped <= MOST_SKIPPED else None
        if not frame or frame not in self._running:
            return
        if isinstance(result, BaseException):
            self._refused = (result, tuple(_operands(taken, self._running[frame].held | sightings_in(frame))))
        elif isinstance(result, Tensor):
            self._running[frame].results.append((_name_of(func), result))

    def stop(self, error: BaseException) -> None:
        """Note where an exception came from."""
        trace = error.__traceback__
        while trace:
            if self._is_own(trace.tb_frame):
                self.last = self._place(trace.tb_frame, trace.tb_lineno)
            trace = trace.tb_next
        if self._refused and self._refused[0] is error:
            self.operands = self._refused[1]

    def lines(self) -> tuple[Line, ...]:
        """Return the lines on which something came to be, and at their end the one that raised."""
        if self.last:
            self._found[self.last] = self._found.pop(self.last, (0, {}))
        return tuple(
            Line(function, path, number, self._sources[path].text(number), tuple(found.values()))
            for (path, number, function), (_, found) in self._found.items()
            if found or (path, number, function) == self.last
        )

    def _place(self, frame: FrameType, line: int) -> Place:
        path = frame.f_code.co_filename
        return path, self._sources[path].first_line(line), frame.f_code.co_qualname

    def _is_own(self, frame: FrameType) -> bool:
        code = frame.f_code
        return code.co_filename in self._sources and not code.co_name.startswith(WITHIN)

    def _caller(self) -> FrameType | None:
        """Return the function that called torch; None where torch is at something that nobody asked for."""
        frame: FrameType | None = sys._getframe()
        while frame and _is_of_torch(frame):
            if _is_private_to_torch(frame):
                return None
            frame = frame.f_back
        while frame and frame.f_code.co_filename in self._sources and not self._is_own(frame):
            frame = frame.f_back
        return frame


def _is_of_torch(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_filename.startswith((TORCH, __file__)) or code.co_name == "__torch_function__"


def _is_private_to_torch(frame: FrameType) -> bool:
    """Tell whether torch draws the first numbers of a layer, or lets an optimiser do its work."""
    code = frame.f_code
    return (code.co_name == "__init__" and code.co_filename != __file__) or code.co_filename.startswith(OPTIMISERS)


def _name_of(func: Any) -> str:
    owner = func.__self__ if func.__name__ == "__get__" else func  # of a property, such as `T`
    name = str(owner.__name__)
    name = name.strip("_") if name.startswith("__") else name
    return SIGNS.get(name, name)


def _operands(taken: Any, held: Mapping[str, Sighting]) -> Iterator[tuple[str, Shape]]:
    """Yield the name, if it has one, and the shape of each tensor that an operation took."""
    for one in taken:
        if isinstance(one, Tensor):
            names = (name for name, sighting in held.items() if sighting.value is one)
            yield next(names, ""), tuple(one.shape)
        elif isinstance(one, list | tuple):
            yield from _operands(one, held)


def _folded(results: Iterable[tuple[str, Tensor]], named: Mapping[str, Sighting]) -> Iterator[Made]:
    """Yield what operations returned, then what has got a name.

    A result that has a name is not shown twice, nor is one whose shape is that of what comes next.
    """
    known = {id(tensor) for one in named.values() for tensor in one.tensors}
    steps = [Made(name, (tuple(tensor.shape),), is_step=True) for name, tensor in results if id(tensor) not in known]
    made = [*steps, *(Made(name, one.forms, one.times) for name, one in named.items())]
    following = [*(one.forms[:1] for one in made), ()][1:]
    kept = Counter(one for one, then in zip(made, following, strict=True) if not one.is_step or one.forms != then)
    yield from (replace(one, times=one.times * count) for one, count in kept.items())


def _enter(found: Found, made: Iterable[Made], counted: bool) -> None:
    """Add what came to be on a line to what came to be on it before. counted: whether how often, too."""
    counts: dict[str, int] = {}
    for one in made:
        counts[one.name] = counts.get(one.name, 0) + 1
        key = (one.name, counts[one.name])
        before = found.get(key)
        again = one if counted or not before else replace(one, times=0)
        found[key] = before.and_again(again) if before else again

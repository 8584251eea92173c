"""Following an implementation line by line: Python tells which line runs, torch which tensors its operations return."""

import dis
import inspect
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from autograder.course.answer import Failure, TensorValue, Value
from autograder.course.flow import (
    BUILDING,
    MOST_SKIPPED,
    MOST_STEPS,
    MOST_TIMES,
    NOTHING,
    RETURN,
    Call,
    Flow,
    Form,
    Line,
    Made,
)
from autograder.course.probing import LARGEST_INTEGER, observe
from autograder.course.shapes import Shape
from autograder.course.sightings import Sighting, see, sightings_in
from autograder.course.statements import statements_of

TORCH = str(Path(torch.__file__).parent)
OPTIMISERS = str(Path(TORCH) / "optim")

WITHIN = "<"
"""How the names of lambdas and comprehensions begin: what happens in them belongs to the line that they stand on."""

NOWHERE = 0
"""The line of no statement: after an exception, until a line begins."""

SIGNS = {"matmul": "@", "rmatmul": "@", "getitem": "[ ]", "add": "+", "sub": "-", "mul": "*", "div": "/"}
"""Operations that students write as signs."""


def follow(
    probe: Callable[..., Any] | None,
    implementation: Callable[..., Any],
    inputs: Mapping[str, Any],
    seed: int,
    sources: Mapping[str, str],
    describe: Callable[[BaseException], Failure],
    watched: Callable[[Callable[[], Flow]], AbstractContextManager[Any]] = nullcontext,
) -> Flow:
    """Run an implementation on one case, as `observe` does, and return the flow of shapes in its own code.

    sources: the text of each file of the implementation's, by the path that its code was compiled under.
    watched: entered around the run with a function that returns the flow up to the line that runs just then. Another
    thread may call that: when a line never ends, nothing else can tell which.
    """
    tracer = _Tracer(sources)

    def described(error: BaseException) -> Failure:
        sys.settrace(None)
        tracer.stop(error)
        return describe(error)

    before = sys.gettrace()
    try:
        with _Operations(tracer.see), watched(tracer.so_far):
            sys.settrace(tracer.enter)
            answer = observe(probe, implementation, inputs, seed, False, described)
    finally:
        sys.settrace(before)
    outputs = {name: _form(value) for name, value in answer.outputs.items()}
    return tracer.flow(outputs, answer.failure)


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
    """A function of the implementation's while it runs: the statement that it is at, and what it held before.

    results: the names and results of the operations since it began, by the identity of the tensors, which are kept alive so.
    returns: whether what the function returns is shown.
    """

    def __init__(self, frame: FrameType, statement: int, returns: bool) -> None:
        self.statement = statement
        self.returns = returns
        self.held = _held_by(frame)
        self.results: dict[int, tuple[str, Tensor]] = {}

    def note(self, name: str, tensor: Tensor) -> None:
        """Enter a result, unless it is known."""
        if len(self.results) < MOST_STEPS:
            self.results.setdefault(id(tensor), (name, tensor))


Place = tuple[str, int, str]
"""The path and the first line of a statement, and the function that it belongs to."""

Found = dict[tuple[str, int], Made]
"""What came to be on a line: by its name, and which of several of that name it was."""


class _Tracer:
    """Collects lines.

    last: where the implementation raised, if it did. called_at: the lines of its own whose calls led there, the last first.
    operands: what the operation took that raised. ahead: what those functions would have given names to.
    """

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = {path: statements_of(text) for path, text in sources.items()}
        self._thread = threading.get_ident()
        self._running: dict[FrameType, _Running] = {}
        self._calls = 0
        self._call: Call | None = None
        self._latest: dict[Place, Call | None] = {}
        self._skipped = 0
        self._visits: Counter[tuple[CodeType, int]] = Counter()
        self._found: dict[Place, tuple[int, Found]] = {}
        self._passing: BaseException | None = None
        self._refused: tuple[BaseException, tuple[tuple[str, Shape], ...]] | None = None
        self.last: Place | None = None
        self.called_at: tuple[tuple[str, int], ...] = ()
        self.operands: tuple[tuple[str, Shape], ...] = ()
        self.ahead: tuple[tuple[str, str], ...] = ()

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Begin to follow a function, if it is the implementation's own."""
        code = frame.f_code
        if code.co_filename not in self._sources or code.co_name == "<module>" or self._around(frame):
            return None
        by_probe = not self._running
        if by_probe:
            self._calls += 1
            self._call = Call(self._place(frame, frame.f_lineno)[-1], dict(_given_to(frame)))
        silent = code.co_flags & inspect.CO_GENERATOR or code.co_name == BUILDING or _is_class_body(code)
        returns = not silent and (by_probe or not _is_within(code))
        self._running[frame] = _Running(frame, self._statement(frame), returns)
        return self._go_on

    def _around(self, frame: FrameType) -> FrameType | None:
        """Return the function at whose statement, which still runs, a lambda or comprehension stands."""
        path, statement = frame.f_code.co_filename, self._statement(frame)
        outer = frame.f_back if _is_within(frame.f_code) else None
        while outer:
            running = self._running.get(outer)
            if running and (outer.f_code.co_filename, running.statement) == (path, statement):
                return outer
            outer = outer.f_back
        return None

    def _go_on(self, frame: FrameType, event: str, arg: Any) -> Any:
        """See a line begin, an exception pass, or a function end."""
        running = self._running[frame]
        if event == "line":
            self._begin(frame, running)
        elif event == "exception":
            if arg[1] is not self._passing:  # further up, the same one passes through other lines
                self._passing = arg[1]
                self._finish(frame, running, anew=True)
            running.statement, running.results = NOWHERE, {}
        elif event == "return":
            if _is_leaving_by_itself(frame):
                self._finish(frame, running, {RETURN: see(arg)} if running.returns else {})
            del self._running[frame]
        return self._go_on

    def _begin(self, frame: FrameType, running: _Running) -> None:
        if self._skipped > MOST_SKIPPED or self._sources[frame.f_code.co_filename].returns(running.statement):
            return  # after a `return`, only a `with` or a `finally` around it ends
        statement = self._statement(frame)
        if statement != running.statement:
            if running.statement != NOWHERE:
                self._finish(frame, running)
            running.statement = statement

    def _finish(
        self, frame: FrameType, running: _Running, returned: Mapping[str, Sighting] | None = None, anew: bool = False
    ) -> None:
        """Enter what came to be since the statement began; in place of what came to be before, if `anew`.

        What the probe calls again later is not counted again: only its shapes are added, where they are others.
        """
        place = self._place(frame, running.statement)
        self._latest[place] = self._call
        self._visits[frame.f_code, running.statement] += 1
        if self._visits[frame.f_code, running.statement] > MOST_TIMES and not returned and not anew:
            running.results = {}
            self._skipped += 1
            return
        held = _held_by(frame)
        news = {name: one.since(running.held.get(name)) for name, one in held.items()}
        changed = {name: one for name, one in news.items() if one and one.tensors}
        results, running.held, running.results = running.results, held, {}
        call, found = self._found.get(place, (self._calls, {})) if not anew else (self._calls, {})
        _enter(found, _folded(results, changed | dict(returned or {})), counted=call == self._calls)
        if found:
            self._found[place] = (call, found)
        else:
            self._found.pop(place, None)

    def see(self, func: Any, taken: Any, result: Any) -> None:
        """Note what an operation returned, at the line of the implementation's that called it."""
        if self._skipped > MOST_SKIPPED or not isinstance(result, Tensor | BaseException):
            return
        caller = self._caller()
        followed = caller if caller in self._running else caller and self._around(caller)
        if not caller or not followed:
            return
        if isinstance(result, BaseException):
            self._refused = (result, tuple(_operands(taken, sightings_in(followed) | sightings_in(caller))))
            return
        running = self._running[followed]
        for name in self._sources[followed.f_code.co_filename].comprehended(running.statement):
            value = caller.f_locals.get(name)
            if isinstance(value, Tensor):
                running.note(name, value)
        running.note(_name_of(func), result)

    def stop(self, error: BaseException) -> None:
        """Note where an exception came from."""
        trace, stack = error.__traceback__, list[tuple[FrameType, int]]()
        while trace:
            stack.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        self._stop_at(reversed(stack))
        if self._refused and self._refused[0] is error:
            self.operands = self._refused[1]

    def so_far(self) -> Flow:
        """Return the flow up to the line that runs now. Another thread may ask."""
        frame: FrameType | None = sys._current_frames()[self._thread]
        stack = list[tuple[FrameType, int]]()
        while frame:
            stack.append((frame, frame.f_lineno))
            frame = frame.f_back
        self._stop_at(stack)
        return self.flow({}, None)

    def _stop_at(self, stack: Iterable[tuple[FrameType, int]]) -> None:
        """Note the last of the implementation's own lines. stack: what ran, from the inside out, each at its line."""
        own = (self._place(frame, line) for frame, line in stack if frame.f_code.co_filename in self._sources)
        places = list(dict.fromkeys(own))
        self.last = places[0] if places else None
        self.called_at = tuple((path, line) for path, line, _ in places[1:])
        self.ahead = tuple(
            (function, name) for path, line, function in places for name in self._sources[path].assigned_from(line)
        )

    def flow(self, outputs: Mapping[str, Form], failure: Failure | None) -> Flow:
        """Return what was collected."""
        call = self._call if self.last else None
        stopped = self.last is not None
        return Flow(self._lines(), outputs, failure, stopped, self.operands, self.called_at, call, self.ahead)

    def _lines(self) -> tuple[Line, ...]:
        """Return the lines on which something came to be, and at their end the one that raised.

        Then what other calls of the probe did is left out, but for objects that they made: one run is shown.
        """
        shown = self._found
        if self.last:
            shown = {place: one for place, one in shown.items() if self._is_of_this_run(place)}
            shown[self.last] = shown.pop(self.last, (0, {}))
        return tuple(
            Line(function, path, number, text.text(number), tuple(found.values()), text.repeats(number))
            for (path, number, function), (_, found) in shown.items()
            for text in [self._sources[path]]
        )

    def _is_of_this_run(self, place: Place) -> bool:
        call = self._latest[place]
        return call is self._call or bool(call and call.builds)

    def _statement(self, frame: FrameType) -> int:
        return self._sources[frame.f_code.co_filename].first_line(frame.f_lineno)

    def _place(self, frame: FrameType, line: int) -> Place:
        code = frame.f_code
        function = code.co_qualname.replace(".<locals>", "").partition(f".{WITHIN}")[0]
        return code.co_filename, self._sources[code.co_filename].first_line(line), function

    def _caller(self) -> FrameType | None:
        """Return what of the implementation called torch; None where torch is at something that it did not ask for."""
        frame: FrameType | None = sys._getframe()
        while frame and _is_of_torch(frame):
            if _is_private_to_torch(frame):
                return None
            frame = frame.f_back
        return frame if frame and frame.f_code.co_filename in self._sources else None


def _is_leaving_by_itself(frame: FrameType) -> bool:
    """Tell whether a function that ends returns or yields; Python tells of one that raises in the same way."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(("RETURN", "YIELD"))


def _is_within(code: CodeType) -> bool:
    return code.co_name.startswith(WITHIN)


def _is_class_body(code: CodeType) -> bool:
    return not code.co_flags & inspect.CO_OPTIMIZED


def _held_by(frame: FrameType) -> dict[str, Sighting]:
    """Return what a function holds; what a comprehension does is another thing in each round."""
    return {} if _is_within(frame.f_code) else sightings_in(frame)


def _given_to(frame: FrameType) -> Iterator[tuple[str, Form]]:
    """Yield each argument of a function that begins, where it is a tensor or a number."""
    for name, value in frame.f_locals.items():
        if isinstance(value, Tensor):
            yield name, tuple(value.shape)
        elif isinstance(value, bool | int | float) and abs(value) < LARGEST_INTEGER:
            yield name, str(value)


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


def _folded(results: Mapping[int, tuple[str, Tensor]], named: Mapping[str, Sighting]) -> Iterator[Made]:
    """Yield what came to be in a statement, in order: what operations returned, under the name that it got, if any.

    A result that has a name is not shown twice, nor is one whose shape is that of what comes next.
    """
    places = {key: place for place, key in enumerate(results)}
    known = {id(tensor) for one in named.values() for tensor in one.tensors}
    placed = [
        (places[key], Made(name, (tuple(tensor.shape),), is_step=True))
        for key, (name, tensor) in results.items()
        if key not in known
    ]
    for name, one in named.items():
        ends = (places.get(id(tensor), len(places)) for tensor in one.tensors)
        placed.append((max(ends, default=len(places)), Made(name, one.forms, one.times, within=one.within)))
    made = [one for _, one in sorted(placed, key=itemgetter(0))]
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

"""What runs beside the student's code: read jobs from the wire, run each case, send the answers of each step at once.

It holds no key, and a forged answer must still be right for an unseen input. What comes from here is bounded before it is read; what no
number shows, such as what was called on the way, is the word of a process that a submission may have changed.
"""

import _thread
import contextlib
import difflib
import functools
import inspect
import io
import json
import os
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import torch

from autograder.course import codec
from autograder.course.answer import Answer, Failure
from autograder.course.course import read_course
from autograder.course.model import Part, Step
from autograder.course.probing import Overtime, observe
from autograder.course.tracing import trace
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.runner.loading import NotInstalled, SubmittedModules
from autograder.runner.wire import MOST_PRINTED, Closed, Frame, Kind, Wire
from autograder.submission.model import Source


class Printer(io.TextIOBase):
    """Stands in for stdout and stderr: sends what a step prints, line by line, up to a bound."""

    def __init__(self, send: Callable[[bytes, bytes], None]) -> None:
        self._send = send
        self._line = ""
        self._left = MOST_PRINTED
        self._case = ""
        self._muted = False

    def write(self, text: str) -> int:
        """Take some text; whole lines are sent."""
        if self._left > 0 and not self._muted:
            self._line += text[: self._left]
            if "\n" in self._line or len(self._line) >= self._left:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what has been written so far."""
        if self._muted:
            return
        text, self._line = self._line[: self._left], ""
        if text:
            label, self._case = (f"[{self._case}]\n" if self._case else ""), ""
            self._left -= len(text)
            self._send(Kind.PRINTED, (label + text).encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Take no text meanwhile: the same code runs again, and would print the same again."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    def begin_step(self) -> None:
        """Start counting again."""
        self._left = MOST_PRINTED

    def begin_case(self, name: str) -> None:
        """Label the next text with the case that prints it."""
        self.flush()
        self._case = name


def serve(connection: socket.socket) -> None:
    """Do jobs until the other end closes."""
    wire = Wire(connection)
    printer = Printer(wire.send)
    with contextlib.redirect_stdout(printer), contextlib.redirect_stderr(printer), contextlib.suppress(Closed):
        while True:
            (_, job), (_, paper) = wire.receive(), wire.receive()
            for frame in do_job(job, paper, printer):
                wire.send(*frame)


def do_job(
    job: bytes, paper: bytes, printer: Printer, passing: tuple[type[BaseException], ...] = ()
) -> Iterator[Frame]:
    """Yield the frames that answer a job. job, paper: the bodies of its frames. passing: as `SubmittedModules` takes it."""
    asked = json.loads(job)
    course = read_course(Path(asked["course"]))
    cases = codec.decode(paper, Paper).cases
    if "folder" in asked:
        with contextlib.suppress(OSError):  # it has been deleted since
            os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
    _reset()
    part = course.part(asked["part"])
    if asked["texts"]:
        with printer.muted():
            modules, module = _loaded(json.dumps(asked["modules"]), part.name, course.parts)
            yield from _try_texts(part, cases, modules, module.__dict__, asked["texts"], asked["trace"], printer)
    else:
        _loaded.cache_clear()
        modules = SubmittedModules(msgspec.convert(asked["modules"], dict[str, Source]), passing, course.parts)
        yield from run_part(part, cases, modules, printer, asked["trace"])
    printer.flush()
    yield Kind.DONE, b""


def _reset() -> None:
    """Undo what an earlier submission may have set, if this process is used again."""
    warnings.simplefilter("ignore")  # torch's, mostly; a diagnosis says what matters, and nothing else was printed
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)


def run_part(
    part: Part,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    printer: Printer,
    trace_timeout: float | None = None,
) -> Iterator[Frame]:
    """Load a part and run the steps that have cases. trace_timeout: seconds a case, where they are traced."""
    printer.begin_step()
    try:
        module = modules.load(part.name)
    except BaseException as error:  # sys.exit at import is the submission's failure, not this process's end
        yield Kind.LOADED, codec.encode((modules.describe(error), []))
        return
    failed = modules.failed(part.name, [step.name for step in part.steps])
    missing = [step.name for step in part.steps if step.name not in module.__dict__]
    yield Kind.LOADED, codec.encode((failed, modules.notes(part.name, missing)))
    if failed:
        return
    for step in part.steps:
        own_cases = [case for case in cases if case.step == step.name]
        if own_cases:
            yield Kind.BEGIN, step.name.encode()
            printer.begin_step()
            found, problem = _find_implementation(part, step, module.__dict__, own_cases[0], modules)
            if problem:
                answers = {case.path: Answer(failure=problem) for case in own_cases}
            else:
                answers = yield from _run_step(step, found, own_cases, modules, printer, trace_timeout)
            printer.flush()
            yield Kind.ANSWERS, codec.encode(answers)


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise Overtime in the main thread's code when its time is over, between two of Python's instructions: its line can be named."""

    def ring(*_: object) -> None:
        raise Overtime(f"this line was still running after {seconds:g} s")

    before = signal.signal(signal.SIGINT, ring)
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def _run_step(
    step: Step,
    implementation: Any,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    printer: Printer,
    trace_timeout: float | None,
) -> Generator[Frame, None, dict[str, Answer]]:
    """Run a step on its cases, and return the answers.

    trace_timeout: seconds a case, where each is traced, up to the first that fails, without going backward; its trace is yielded.
    """
    answers: dict[str, Answer] = {}
    for case in cases:
        terms = step.probe, implementation, _inputs(case), case.seed
        if not trace_timeout:
            printer.begin_case(case.name)
            answers[case.path] = observe(*terms, case.gradients, modules.describe, printer.muted, step.forbids)
            continue
        with _interrupted_after(trace_timeout):
            answers[case.path], seen = trace(functools.partial(observe, *terms, False), modules.describe, modules.paths)
        yield Kind.TRACED, codec.encode((case.path, seen))
        if answers[case.path].failure:
            break
    return answers


@functools.lru_cache(maxsize=1)
def _loaded(modules: str, part: str, parts: tuple[str, ...]) -> tuple[SubmittedModules, ModuleType]:
    """Load a part once for all jobs that try texts in it, one after the other. modules: of the submission, as JSON."""
    found = SubmittedModules(msgspec.convert(json.loads(modules), dict[str, Source]), parts=parts)
    return found, found.load(part)


def _try_texts(
    part: Part,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    namespace: dict[str, Any],
    texts: Sequence[str],
    trace_timeout: float | None,
    printer: Printer,
) -> Iterator[Frame]:
    """Run a step once for each of some texts, which stand in place of what they define; yield the answers of each.

    namespace: of the part's module. trace_timeout: as `run_part` takes it; the traces come first.
    """
    step = replace(next(one for one in part.steps if one.name == cases[0].step), forbids=())
    for text in texts:
        own = dict(namespace)
        try:
            modules.define(text, part.name, namespace)
            answers = yield from _run_step(step, namespace[step.name], cases, modules, printer, trace_timeout)
        except GeneratorExit:
            raise
        except BaseException as error:
            answers = {case.path: Answer(failure=modules.describe(error)) for case in cases}
        namespace.clear()
        namespace.update(own)
        yield Kind.ANSWERS, codec.encode(answers)


def _inputs(case: PaperCase) -> dict[str, Any]:
    return {
        name: value if isinstance(value, bool | int | float | None) else torch.from_numpy(value)
        for name, value in case.inputs.items()
    }


def _find_implementation(
    part: Part, step: Step, namespace: dict[str, Any], case: PaperCase, modules: SubmittedModules
) -> tuple[Any, Failure | None]:
    """Return the implementation of a step, or why it cannot be called."""
    if step.name not in namespace:
        return None, _missing(part, step, namespace, modules)
    implementation = namespace[step.name]
    if isinstance(implementation, NotInstalled):
        library = implementation.not_installed
        message = f"`{step.name}` comes from `{library}`, which is neither installed here nor handed in"
        return None, Failure(Verdict.MISSING, message)
    if not callable(implementation):
        what = type(implementation).__name__
        return None, Failure(
            Verdict.MISSING, f"`{step.name}` cannot be called, its type is {what}: something assigns to its name"
        )
    if step.probe is None and (problem := _wrong_arity(step.name, implementation, tuple(case.inputs))):
        return None, problem
    return implementation, None


def _missing(part: Part, step: Step, namespace: dict[str, Any], modules: SubmittedModules) -> Failure:
    said = f"there is no `{step.name}` in your {'notebook' if modules.modules[part.name].is_notebook else 'file'}"
    if blamed := modules.blamed(part.name, step.name):
        message = f"{said}; {blamed.message}, which may be why."
        return Failure(Verdict.MISSING, message, traceback=blamed.failure.traceback)
    steps = {other.name for other in part.steps}
    own = [name for name, value in namespace.items() if callable(value) and name[:1] != "_" and name not in steps]
    similar = difflib.get_close_matches(step.name, own, n=1)
    guess = f" Did you rename it to `{similar[0]}`?" if similar else ""
    return Failure(Verdict.MISSING, f"{said}; its name must stay as it is.{guess}")


def _wrong_arity(name: str, implementation: Any, arguments: tuple[str, ...]) -> Failure | None:
    try:
        signature = inspect.signature(implementation)
    except (TypeError, ValueError):
        return None
    message = f"TypeError: called as {name}({', '.join(arguments)}), but yours is {name}{signature}"
    if tuple(signature.parameters) != arguments and sorted(signature.parameters) == sorted(arguments):
        return Failure(Verdict.RAISED, f"{message}: the arguments are in another order", "TypeError")
    try:
        signature.bind(*arguments)
    except TypeError as error:
        return Failure(Verdict.RAISED, f"{message}: {error}", "TypeError")
    return None

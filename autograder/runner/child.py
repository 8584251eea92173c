"""The program of a child process: receive jobs, run a student's code on cases, send the answers.

The process holds no expected answers, so a forged answer must be correct for unseen inputs.
The host checks the size of each message. A submission may change this process, so the host cannot
be certain of claims that no output proves, such as which functions were called.
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
    """A replacement of stdout and stderr that sends the host up to MOST_PRINTED characters a step."""

    def __init__(self, send: Callable[[bytes, bytes], None]) -> None:
        self._send = send
        self._line = ""
        self._left = MOST_PRINTED
        self._case = ""
        self._muted = False

    def write(self, text: str) -> int:
        """Add text to the buffer, and send the buffer if it contains a line end or is full."""
        if self._left > 0 and not self._muted:
            self._line += text[: self._left]
            if "\n" in self._line or len(self._line) >= self._left:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Send the buffered text."""
        if self._muted:
            return
        text, self._line = self._line[: self._left], ""
        if text:
            label, self._case = (f"[{self._case}]\n" if self._case else ""), ""
            self._left -= len(text)
            self._send(Kind.PRINTED, (label + text).encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Discard text printed inside the context, where code runs a second time."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    def begin_step(self) -> None:
        """Reset the count of printed characters."""
        self._left = MOST_PRINTED

    def begin_case(self, name: str) -> None:
        """Label the next printed text with the name of a case."""
        self.flush()
        self._case = name


def serve(connection: socket.socket) -> None:
    """Run the jobs that arrive on a connection until the host closes the connection."""
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
    """Run a job, and yield the reply messages.

    job, paper: the bodies of the JOB and PAPER messages.
    passing: types of exceptions to raise rather than report as failures, as in `SubmittedModules`.
    """
    asked = json.loads(job)
    course = read_course(Path(asked["course"]))
    cases = codec.decode(paper, Paper).cases
    if "folder" in asked:
        with contextlib.suppress(OSError):  # the folder has been deleted
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
    """Ignore warnings, and restore torch settings that an earlier submission may have changed."""
    warnings.simplefilter("ignore")  # mostly from torch; a diagnosis reports what matters
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
    """Load a part, run its steps that have cases, and yield the reply messages.

    trace_timeout: seconds per case if cases are traced, else None.
    """
    printer.begin_step()
    try:
        module = modules.load(part.name)
    except BaseException as error:  # sys.exit at import must not end this process
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
    """Raise Overtime in the main thread if the context is not left within some seconds.

    The signal handler runs between two bytecode instructions, so the traceback contains the line.
    """

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
    """Run a step on its cases, and return the answers by case path.

    trace_timeout: seconds per case if cases are traced, else None. Traced cases run without
    backward, up to the first case that fails. Yields a TRACED message after each traced case.
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
    """Load a part. The last part is cached for further jobs with texts. modules: sources as JSON."""
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
    """Run a step once per text: source code whose definitions replace those of the submission.

    Yields, for each text, the TRACED messages if cases are traced, then an ANSWERS message.
    namespace: of the part's module; restored after each text. trace_timeout: as in `run_part`.
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
    """Return the implementation of a step and None; or None and the failure to report."""
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

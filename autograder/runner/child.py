"""The program of a child process: receive jobs, run a student's code on cases, send the answers.

The process holds no expected answers, so a forged answer must be correct for unseen inputs.
The host checks the size of each message. A submission may change this process, so the host cannot
be certain of claims that no output proves, such as which functions were called.
"""

import contextlib
import difflib
import functools
import io
import os
import signal
import socket
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
from autograder.runner.answers import (
    MOST_PRINTED,
    Answered,
    Begun,
    Done,
    Job,
    Loaded,
    Printed,
    Reply,
    Traced,
)
from autograder.runner.loading import NotInstalled, SubmittedModules
from autograder.runner.wire import Closed, Wire
from autograder.submission.model import Source


class Printer(io.TextIOBase):
    """A replacement of stdout and stderr that sends the host up to MOST_PRINTED characters a step."""

    def __init__(self, send: Callable[[Reply], None]) -> None:
        self._send = send
        self._left = MOST_PRINTED
        self._label = ""
        self._muted = False

    def write(self, text: str) -> int:
        """Send text to the host, and the label of the case before its first text."""
        kept = "" if self._muted else text[: self._left]
        if kept:
            self._left -= len(kept)
            label, self._label = self._label, ""
            self._send(Printed((label + kept).encode("utf-8", "backslashreplace").decode()))
        return len(text)

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
        self._label = f"[{name}]\n"


def serve(connection: socket.socket) -> None:
    """Run the jobs that arrive on a connection until the host closes the connection."""
    wire = Wire(connection)

    def send(reply: Reply) -> None:
        wire.send(codec.encode(reply))

    printer = Printer(send)
    with contextlib.redirect_stdout(printer), contextlib.redirect_stderr(printer), contextlib.suppress(Closed):
        while True:
            for reply in do_job(wire.receive(), printer):
                send(reply)


def do_job(job: bytes, printer: Printer, passing: tuple[type[BaseException], ...] = ()) -> Iterator[Reply]:
    """Run an encoded `Job`, and yield the replies.

    passing: types of exceptions to raise rather than report as failures, as in `SubmittedModules`.
    """
    asked = codec.decode(job, Job)
    cases = codec.decode(asked.cases, Paper).cases
    if asked.folder:
        with contextlib.suppress(OSError):  # the folder has been deleted
            os.chdir(asked.folder)
        os.environ.clear()
        os.environ.update(asked.environment)
    _reset()
    part = read_course(Path(asked.course)).part(asked.part)
    if asked.texts:
        with printer.muted():
            modules, module = _loaded(msgspec.json.encode(asked.modules), part.name)
            yield from _try_texts(part, cases, modules, module.__dict__, asked, printer)
    else:
        _loaded.cache_clear()
        yield from run_part(part, cases, SubmittedModules(asked.modules, passing), printer, asked.trace)
    yield Done()


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
) -> Iterator[Reply]:
    """Load a part, run its steps that have cases, and yield the replies.

    trace_timeout: seconds per case if cases are traced, else None.
    """
    printer.begin_step()
    try:
        module = modules.load(part.name)
    except BaseException as error:  # sys.exit at import must not end this process
        yield Loaded(modules.describe(error), [])
        return
    failed = modules.failed(part.name, [step.name for step in part.steps])
    missing = [step.name for step in part.steps if step.name not in module.__dict__]
    yield Loaded(failed, modules.notes(part.name, missing))
    if failed:
        return
    for step in part.steps:
        own_cases = [case for case in cases if case.step == step.name]
        if own_cases:
            yield Begun(step.name)
            printer.begin_step()
            if problem := _problem_of(part, step, module.__dict__, modules):
                answers = {case.path: Answer(failure=problem) for case in own_cases}
            else:
                found = module.__dict__[step.name]
                answers = yield from _run_step(step, found, own_cases, modules, printer, trace_timeout)
            yield Answered(answers)


@contextlib.contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise Overtime if the context is not left within some seconds. Does nothing on Windows.

    The signal handler runs between bytecode instructions, so the traceback has the running line.
    """

    def ring(*_: object) -> None:
        raise Overtime(f"this line was still running after {seconds:g} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _run_step(
    step: Step,
    implementation: Any,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    printer: Printer,
    trace_timeout: float | None,
) -> Generator[Reply, None, dict[str, Answer]]:
    """Run a step on its cases, and return the answers by case path.

    trace_timeout: seconds per case if cases are traced, else None. Traced cases run without
    backward, up to the first case that fails. Yields a `Traced` after each traced case.
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
        yield Traced(case.path, seen)
        if answers[case.path].failure:
            break
    return answers


@functools.lru_cache(maxsize=1)
def _loaded(modules: bytes, part: str) -> tuple[SubmittedModules, ModuleType]:
    """Load a part. The last part is cached for further jobs with texts. modules: sources as JSON."""
    found = SubmittedModules(msgspec.json.decode(modules, type=dict[str, Source]))
    return found, found.load(part)


def _try_texts(
    part: Part,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    namespace: dict[str, Any],
    asked: Job,
    printer: Printer,
) -> Iterator[Reply]:
    """Run a step once per text: source code whose definitions replace those of the submission.

    Yields, for each text, a `Traced` per case if cases are traced, then an `Answered`.
    namespace: the namespace of the part's module, which is restored after each text.
    """
    step = replace(next(one for one in part.steps if one.name == cases[0].step), forbids=())
    for text in asked.texts:
        own = dict(namespace)
        try:
            modules.define(text, part.name, namespace)
            answers = yield from _run_step(step, namespace[step.name], cases, modules, printer, asked.trace)
        except GeneratorExit:
            raise
        except BaseException as error:
            answers = {case.path: Answer(failure=modules.describe(error)) for case in cases}
        namespace.clear()
        namespace.update(own)
        yield Answered(answers)


def _inputs(case: PaperCase) -> dict[str, Any]:
    return {
        name: value if isinstance(value, bool | int | float | None) else torch.from_numpy(value)
        for name, value in case.inputs.items()
    }


def _problem_of(part: Part, step: Step, namespace: dict[str, Any], modules: SubmittedModules) -> Failure | None:
    """Return the failure of a step that has no implementation; None if the step has one."""
    if step.name not in namespace:
        return _missing(part, step, namespace, modules)
    found = namespace[step.name]
    if isinstance(found, NotInstalled):
        message = f"`{step.name}` comes from `{found.__name__}`, which is neither installed here nor handed in"
        return Failure(Verdict.MISSING, message)
    if callable(found):
        return None
    what = type(found).__name__
    message = f"`{step.name}` cannot be called, its type is {what}: something assigns to its name"
    return Failure(Verdict.MISSING, message)


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

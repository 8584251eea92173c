"""The program of a child process: receive jobs, run a student's code on cases, send the answers.

The process holds no expected answers, so a forged answer passes only if it is correct. The host
checks the size of each message. A submission may change this process, so the host cannot trust
claims that no output proves, such as which functions were called.
"""

import bdb
import contextlib
import difflib
import functools
import io
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
from autograder.course.probing import observe
from autograder.course.tracing import trace
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.runner.answers import (
    HANG_SIGNAL,
    MOST_PRINTED,
    Answered,
    Begun,
    Done,
    Hung,
    Job,
    Loaded,
    Printed,
    Reply,
    Traced,
)
from autograder.runner.limits import Deadline
from autograder.runner.loading import NotInstalled, SubmittedModules
from autograder.runner.processes import Child, Runner
from autograder.runner.wire import Closed, Wire
from autograder.submission.model import Source


class Printer(io.TextIOBase):
    """A replacement of stdout and stderr, which sends `label`, then at most `left` characters."""

    def __init__(self, send: Callable[[Reply], None]) -> None:
        self.left, self.label = MOST_PRINTED, ""
        self.send, self._muted = send, False

    def write(self, text: str) -> int:
        """Send at most `left` characters of a text to the host."""
        kept = "" if self._muted else text[: self.left]
        if kept:
            self.left -= len(kept)
            label, self.label = self.label, ""
            self.send(Printed((label + kept).encode("utf-8", "backslashreplace").decode()))
        return len(text)

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Discard printed text inside the context, because the code has printed the text before."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before


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
    _reset()
    part, cases = read_course(Path(asked.course)).part(asked.part), codec.decode(asked.cases, Paper).cases
    if asked.texts:
        with printer.muted():
            yield from _try_texts(part, cases, asked, printer)
    else:
        _loaded.cache_clear()
        yield from _run_part(part, cases, SubmittedModules(asked.modules, passing), printer, asked.traced)
    yield Done()


def _reset() -> None:
    """Restore settings of torch that an earlier submission may have changed, and ignore warnings."""
    warnings.simplefilter("ignore")  # mostly from torch; a diagnosis reports what matters
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)


def _run_part(
    part: Part, cases: Sequence[PaperCase], modules: SubmittedModules, printer: Printer, traced: bool
) -> Iterator[Reply]:
    printer.left = MOST_PRINTED
    if HANG_SIGNAL and threading.current_thread() is threading.main_thread():
        signal.signal(HANG_SIGNAL, lambda _, frame: printer.send(Hung(modules.traceback_of(frame))))
    try:
        module = modules.load(part.name)
    except BaseException as error:  # sys.exit in a module must not end this process
        yield Loaded(modules.describe(error), [])
        return
    failed = modules.failed(part.name, [step.name for step in part.steps])
    missing = [step.name for step in part.steps if step.name not in module.__dict__]
    yield Loaded(failed, modules.notes(part.name, missing))
    for step in part.steps if not failed else ():
        if own_cases := [case for case in cases if case.step == step.name]:
            yield Begun(step.name)
            printer.left = MOST_PRINTED
            if problem := _problem_of(part, step, module.__dict__, modules):
                answers = {case.path: Answer(failure=problem) for case in own_cases}
            else:
                found = module.__dict__[step.name]
                answers = yield from _run_step(step, found, own_cases, modules, printer, traced)
            yield Answered(answers)


def _run_step(
    step: Step,
    implementation: Any,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    printer: Printer,
    traced: bool,
) -> Generator[Reply, None, dict[str, Answer]]:
    """Run a step on its cases. If `traced`, stop at the first failure. Returns answers by path."""
    answers: dict[str, Answer] = {}
    for case in cases:
        terms = step.probe, implementation, _inputs(case), case.seed
        if not traced:
            printer.label = f"[{case.name}]\n"
            answers[case.path] = observe(*terms, case.gradients, modules.describe, printer.muted, step.forbids)
            continue
        run = functools.partial(observe, *terms, False)
        answers[case.path], seen = trace(run, modules.describe, modules.paths)
        yield Traced(case.path, seen)
        if answers[case.path].failure:
            break
    return answers


@functools.lru_cache(maxsize=1)
def _loaded(modules: bytes, part: str) -> tuple[SubmittedModules, ModuleType]:
    """Load a part, or take the last one from the cache. modules: the sources as JSON."""
    found = SubmittedModules(msgspec.json.decode(modules, type=dict[str, Source]))
    return found, found.load(part)


def _try_texts(part: Part, cases: Sequence[PaperCase], asked: Job, printer: Printer) -> Iterator[Reply]:
    """Run a step once for each text. Yields Traced for each traced case, Answered for each text."""
    modules, module = _loaded(msgspec.json.encode(asked.modules), part.name)
    step, namespace = replace(part.step(cases[0].step), forbids=()), module.__dict__
    for text in asked.texts:
        own = dict(namespace)
        try:
            modules.define(text, part.name, namespace)
            answers = yield from _run_step(step, namespace[step.name], cases, modules, printer, asked.traced)
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
    is_notebook = modules.modules[part.name].is_notebook
    said = f"there is no `{step.name}` in your {'notebook' if is_notebook else 'file'}"
    if blamed := modules.blamed(part.name, step.name):
        is_own = step.name in blamed.defines
        message = f"{blamed.message}." if is_own else f"{said}; {blamed.message}, which may be why."
        return replace(blamed.failure, kind=Verdict.MISSING, message=message)
    steps = {other.name for other in part.steps}
    own = [name for name, value in namespace.items() if callable(value) and name[:1] != "_" and name not in steps]
    similar = difflib.get_close_matches(step.name, own, n=1)
    advice = "" if is_notebook else f" `attn reset {part.name}.{step.name}` puts the stub back."
    guess = f" Did you rename it to `{similar[0]}`?" if similar else advice
    return Failure(Verdict.MISSING, f"{said}; its name must stay as it is.{guess}")


class Foreground(Runner):
    """A runner that uses this process as its child, so that debuggers and Ctrl-C work.

    There is no timeout and no isolation. A run raises BdbQuit when the user quits the debugger, and
    KeyboardInterrupt at Ctrl-C. course: the folder of the course.
    """

    def __init__(self, course: Path) -> None:
        self.course, self.together = course, 1

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        """Yield this process as the child."""
        yield Child(_WireInMemory(), end=lambda: 0)


class _WireInMemory(Wire):
    """A wire without a socket. `receive` runs the job until the next reply."""

    def __init__(self) -> None:
        self._replies: Iterator[bytes] = iter(())

    def send(self, body: bytes) -> None:
        printer = Printer(lambda _: None)  # unused: the student's code prints to the terminal
        self._replies = map(codec.encode, do_job(body, printer, passing=(bdb.BdbQuit, KeyboardInterrupt)))

    def receive(self, deadline: Deadline | None = None) -> bytes:
        """Run the student's code up to the next reply, and return this. No deadline applies."""
        return next(self._replies)

"""What runs beside the student's code: read jobs from the wire, run each case, send the answers of each step at once.

It holds no key, and a forged answer must still be right for an unseen input. What comes from here is bounded before it is read; what no
number shows, such as what was called on the way, is the word of a process that a submission may have changed.
"""

import contextlib
import difflib
import functools
import inspect
import io
import json
import socket
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from autograder.course import codec
from autograder.course.answer import Answer, Failure
from autograder.course.course import read_course
from autograder.course.model import Part, Step
from autograder.course.probing import observe
from autograder.course.tracing import trace
from autograder.course.verdicts import Verdict
from autograder.exam.model import Paper, PaperCase
from autograder.runner.alarm import interrupted_after
from autograder.runner.loading import SubmittedModules
from autograder.runner.stub_modules import NotInstalled
from autograder.runner.wire import (
    ANSWERS,
    BEGIN,
    DONE,
    JOB,
    LOADED,
    MOST_PRINTED,
    PAPER,
    PRINTED,
    TRACED,
    Closed,
    Frame,
    Garbled,
    Wire,
    decode,
    encode_answers,
    encode_loaded,
    encode_trace,
)
from autograder.submission.model import from_plain


class Printer(io.TextIOBase):
    """Stands in for stdout and stderr: sends what a step prints, line by line, up to a bound."""

    def __init__(self, send: Callable[[bytes, bytes], None]) -> None:
        self._send = send
        self._line = ""
        self._left = MOST_PRINTED
        self._case = ""
        self._muted = False

    def writable(self) -> bool:
        """Tell that this stream can be written to."""
        return True

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
            self._send(PRINTED, (label + text).encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Take no text meanwhile: the same code runs again, and would print the same again."""
        self._muted = True
        try:
            yield
        finally:
            self._muted = False

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
            for frame in do_job(_body_of(JOB, wire), _body_of(PAPER, wire), printer):
                wire.send(*frame)


def _body_of(expected: bytes, wire: Wire) -> bytes:
    kind, body = wire.receive()
    if kind != expected:
        raise Garbled(f"expected a frame of kind {expected!r}, got {kind!r}")
    return body


def do_job(
    job: bytes, paper: bytes, printer: Printer, passing: tuple[type[BaseException], ...] = ()
) -> Iterator[Frame]:
    """Yield the frames that answer a job. job, paper: the bodies of its frames. passing: as `SubmittedModules` takes it."""
    asked = decode(job)
    course = read_course(Path(asked["course"]))
    cases = codec.decode(paper, Paper).cases
    _reset()
    part = course.part(asked["part"])
    if asked["texts"]:
        with printer.muted():
            modules, module = _loaded(json.dumps(asked["modules"]), part.name, course.parts)
            yield from _try_texts(part, cases, modules, module.__dict__, asked["texts"], asked["trace"])
    else:
        _loaded.cache_clear()
        modules = SubmittedModules(from_plain(asked["modules"]), passing, course.parts)
        yield from run_part(part, cases, modules, printer, asked["trace"])
    printer.flush()
    yield DONE, b""


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
        yield LOADED, encode_loaded(modules.describe(error), [])
        return
    failed = modules.failed(part.name, [step.name for step in part.steps])
    missing = [step.name for step in part.steps if step.name not in module.__dict__]
    yield LOADED, encode_loaded(failed, modules.notes(part.name, missing))
    if failed:
        return
    for step in part.steps:
        own_cases = [case for case in cases if case.step == step.name]
        if own_cases:
            yield BEGIN, step.name.encode()
            printer.begin_step()
            found, problem = _find_implementation(part, step, module.__dict__, own_cases[0], modules)
            if problem:
                answers = {case.path: Answer(failure=problem) for case in own_cases}
            elif trace_timeout:
                answers = yield from _trace_step(step, found, own_cases, modules, trace_timeout)
            else:
                answers = _sit_step(step, found, own_cases, modules, printer)
            printer.flush()
            yield ANSWERS, encode_answers(answers)


def _sit_step(
    step: Step, implementation: Any, cases: list[PaperCase], modules: SubmittedModules, printer: Printer
) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for case in cases:
        printer.begin_case(case.name)
        answers[case.path] = observe(
            step.probe,
            implementation,
            _inputs(case),
            case.seed,
            case.gradients,
            modules.describe,
            printer.muted,
            step.forbids,
        )
    return answers


def _trace_step(
    step: Step, implementation: Any, cases: Sequence[PaperCase], modules: SubmittedModules, timeout: float
) -> Generator[Frame, None, dict[str, Answer]]:
    """Trace a step on its cases up to the first that fails, yield each trace and return the answers. timeout: seconds a case."""
    answers: dict[str, Answer] = {}
    for case in cases:
        terms = step.probe, implementation, _inputs(case), case.seed, False
        run = functools.partial(observe, *terms)
        with interrupted_after(timeout):
            answers[case.path], seen = trace(run, modules.describe, modules.paths)
        yield TRACED, encode_trace(case.path, seen)
        if answers[case.path].failure:
            break
    return answers


@functools.lru_cache(maxsize=1)
def _loaded(modules: str, part: str, parts: tuple[str, ...]) -> tuple[SubmittedModules, ModuleType]:
    """Load a part once for all jobs that try texts in it, one after the other. modules: of the submission, as JSON."""
    found = SubmittedModules(from_plain(json.loads(modules)), parts=parts)
    return found, found.load(part)


def _try_texts(
    part: Part,
    cases: Sequence[PaperCase],
    modules: SubmittedModules,
    namespace: dict[str, Any],
    texts: Sequence[str],
    trace_timeout: float | None,
) -> Iterator[Frame]:
    """Let a step sit its cases once for each of some texts, which stand in place of what they define; yield the answers of each.

    namespace: of the part's module. trace_timeout: as `run_part` takes it; the traces come first.
    """
    step = next(step for step in part.steps if step.name == cases[0].step)
    for text in texts:
        own = dict(namespace)
        try:
            modules.define(text, part.name, namespace)
            if trace_timeout:
                answers = yield from _trace_step(step, namespace[step.name], cases, modules, trace_timeout)
            else:
                answers = {
                    case.path: observe(
                        step.probe,
                        namespace[step.name],
                        _inputs(case),
                        case.seed,
                        case.gradients,
                        modules.locate,
                    )
                    for case in cases
                }
        except GeneratorExit:
            raise
        except BaseException as error:
            answers = {case.path: Answer(failure=modules.locate(error)) for case in cases}
        namespace.clear()
        namespace.update(own)
        yield ANSWERS, encode_answers(answers)


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
    place = "notebook" if modules.modules[part.name].is_notebook else "file"
    blamed = modules.blamed(part.name, step.name)
    if blamed:
        message = f"there is no `{step.name}` in your {place}; {blamed.message}, which may be why."
        if place == "file" and blamed.kind == Verdict.MISSING:
            message = (
                f"`{step.name}` is not there: {blamed.message}. Mend that line; what else your file defines is marked."
            )
        return Failure(Verdict.MISSING, message, traceback=blamed.traceback)
    steps = {other.name for other in part.steps}
    own = [name for name, value in namespace.items() if callable(value) and name[:1] != "_" and name not in steps]
    similar = difflib.get_close_matches(step.name, own, n=1)
    guess = f" Did you rename it to `{similar[0]}`?" if similar else ""
    return Failure(Verdict.MISSING, f"there is no `{step.name}` in your {place}; its name must stay as it is.{guess}")


def _wrong_arity(name: str, implementation: Any, arguments: tuple[str, ...]) -> Failure | None:
    try:
        signature = inspect.signature(implementation)
    except (TypeError, ValueError):
        return None
    expected = f"{name}({', '.join(arguments)})"
    if tuple(signature.parameters) != arguments and sorted(signature.parameters) == sorted(arguments):
        message = f"called as {expected}, but yours is {name}{signature}: the arguments are in another order"
        return Failure(Verdict.RAISED, message, "TypeError")
    try:
        signature.bind(*arguments)
    except TypeError as error:
        return Failure(
            Verdict.RAISED, f"TypeError: called as {expected}, but yours is {name}{signature}: {error}", "TypeError"
        )
    return None

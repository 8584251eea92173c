"""What runs beside the student's code: read jobs from the wire, run each case, send each answer at once.

Nothing that comes from here is trusted. It holds no key, and a forged answer must still be right for an unseen input.
"""

import contextlib
import difflib
import functools
import inspect
import io
import socket
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from autograder.course.answer import Answer, Failure
from autograder.course.course import read_course
from autograder.course.model import Part, Step
from autograder.course.probing import observe
from autograder.course.tracing import trace
from autograder.exam.files import paper_from_bytes
from autograder.exam.model import PaperCase
from autograder.sitting.alarm import interrupted_after
from autograder.sitting.loading import SubmittedModules
from autograder.sitting.submission import from_plain
from autograder.sitting.wire import (
    ANSWERS,
    BEGIN,
    DONE,
    JOB,
    LOADED,
    PAPER,
    PRINTED,
    TRACED,
    Closed,
    Garbled,
    Wire,
    decode,
    encode,
    encode_answers,
    encode_trace,
    split,
)

MOST_PRINTED = 4_000
"""Characters of printed text kept a step."""


class Printer(io.TextIOBase):
    """Stands in for stdout and stderr: sends what a step prints, line by line, up to a bound."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
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
            self._wire.send(PRINTED, (label + text).encode("utf-8", "backslashreplace"))

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """Take no text meanwhile: the same code runs again, and would print the same again."""
        self._muted = True
        try:
            yield
        finally:
            self._muted = False

    def begin_step(self) -> None:
        """Start counting anew."""
        self._left = MOST_PRINTED

    def begin_case(self, name: str) -> None:
        """Label the next text with the case that prints it."""
        self.flush()
        self._case = name


def serve(connection: socket.socket) -> None:
    """Sit papers until the other end closes."""
    wire = Wire(connection)
    printer = Printer(wire)
    warnings.simplefilter("ignore")  # torch's, mostly; a diagnosis says what matters, and nothing else was printed
    with contextlib.redirect_stdout(printer), contextlib.redirect_stderr(printer), contextlib.suppress(Closed):
        while True:
            job, cases = _receive_job(wire)
            _reset_torch()
            _sit(job, cases, wire, printer)
            printer.flush()
            wire.send(DONE)


def _receive_job(wire: Wire) -> tuple[dict[str, Any], tuple[PaperCase, ...]]:
    kind, body = wire.receive()
    if kind != JOB:
        raise Garbled(f"expected a job, got {kind!r}")
    job = decode(body)
    kind, body = wire.receive()
    if kind != PAPER:
        raise Garbled(f"expected a paper, got {kind!r}")
    return job, paper_from_bytes(*split(body)).cases


def _reset_torch() -> None:
    """Undo what an earlier submission may have set, where this process is used again."""
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)


def _sit(job: Mapping[str, Any], cases: tuple[PaperCase, ...], wire: Wire, printer: Printer) -> None:
    part = read_course(Path(job["course"])).part(job["part"])
    modules = SubmittedModules(from_plain(job["modules"]))
    printer.begin_step()
    try:
        module = modules.load(job["part"])
    except BaseException as error:  # sys.exit at import is the submission's failure, not this process's end
        wire.send(LOADED, encode(vars(modules.describe(error))))
        return
    wire.send(LOADED, encode(None))
    for step in part.steps:
        own_cases = [case for case in cases if case.step == step.name]
        if step.name in job["steps"] and own_cases:
            wire.send(BEGIN, step.name.encode())
            printer.begin_step()
            found, problem = find_implementation(part, step, module.__dict__, own_cases[0], modules)
            if problem:
                answers = {case.path: Answer(failure=problem) for case in own_cases}
            elif job["trace"]:
                answers = _trace_step(step, found, own_cases, modules, wire, job["trace"])
            else:
                answers = _sit_step(step, found, own_cases, modules, printer)
            printer.flush()
            wire.send(ANSWERS, encode_answers(answers))


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
    step: Step, implementation: Any, cases: list[PaperCase], modules: SubmittedModules, wire: Wire, timeout: float
) -> dict[str, Answer]:
    """Trace a step on its cases up to the first that fails, and send each trace at once. timeout: seconds a case."""
    answers: dict[str, Answer] = {}
    for case in cases:
        run = functools.partial(observe, step.probe, implementation, _inputs(case), case.seed, False)
        with interrupted_after(timeout):
            answers[case.path], seen = trace(run, modules.describe, modules.paths)
        wire.send(TRACED, encode_trace(case.path, seen))
        if answers[case.path].failure:
            break
    return answers


def _inputs(case: PaperCase) -> dict[str, Any]:
    return {
        name: value if isinstance(value, bool | int | float | None) else torch.from_numpy(value)
        for name, value in case.inputs.items()
    }


def find_implementation(
    part: Part, step: Step, namespace: dict[str, Any], case: PaperCase, modules: SubmittedModules
) -> tuple[Any, Failure | None]:
    """Return the implementation of a step, or why it cannot be called."""
    if step.name not in namespace:
        return None, _missing(part, step, namespace, modules)
    implementation = namespace[step.name]
    if not callable(implementation):
        what = type(implementation).__name__
        return None, Failure(
            "missing", f"`{step.name}` cannot be called, its type is {what}: something assigns to its name"
        )
    if step.probe is None and (problem := _wrong_arity(step.name, implementation, tuple(case.inputs))):
        return None, problem
    return implementation, None


def _missing(part: Part, step: Step, namespace: dict[str, Any], modules: SubmittedModules) -> Failure:
    place = "notebook" if modules.modules[part.name].is_notebook else "file"
    blamed = modules.blamed(part.name, step.name)
    if blamed:
        message = f"there is no `{step.name}` in your {place}; {blamed.message}, which may be why."
        return Failure("missing", message, traceback=blamed.traceback)
    steps = {other.name for other in part.steps}
    own = [name for name, value in namespace.items() if callable(value) and name[:1] != "_" and name not in steps]
    similar = difflib.get_close_matches(step.name, own, n=1)
    guess = f" Did you rename it to `{similar[0]}`?" if similar else ""
    return Failure("missing", f"there is no `{step.name}` in your {place}; its name must stay as it is.{guess}")


def _wrong_arity(name: str, implementation: Any, arguments: tuple[str, ...]) -> Failure | None:
    try:
        signature = inspect.signature(implementation)
    except (TypeError, ValueError):
        return None
    expected = f"{name}({', '.join(arguments)})"
    if tuple(signature.parameters) != arguments and sorted(signature.parameters) == sorted(arguments):
        message = f"called as {expected}, but yours is {name}{signature}: the arguments stand in another order"
        return Failure("raised", message, "TypeError")
    try:
        signature.bind(*arguments)
    except TypeError as error:
        return Failure(
            "raised", f"TypeError: called as {expected}, but yours is {name}{signature}: {error}", "TypeError"
        )
    return None

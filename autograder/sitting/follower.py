"""What follows a student's step, in the process that does: the module, its implementation, and one flow a case."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import torch

from autograder.course import parts as course_parts
from autograder.course.answer import Failure
from autograder.course.flow import Flow
from autograder.course.tracing import follow
from autograder.exam.model import Paper
from autograder.sitting.child import find_implementation
from autograder.sitting.loading import SubmittedModules
from autograder.sitting.submission import Source


class Follower:
    """Follows one step of a submission.

    paper: its cases. timeout: seconds that a case may take. late: given the flow of a case that takes longer, by another thread.
    """

    def __init__(
        self, paper: Paper, modules: Mapping[str, Source], timeout: float, late: Callable[[Flow], None]
    ) -> None:
        self._cases = paper.cases
        self._part = course_parts.load(paper.cases[0].part)
        self._step = self._part.step(paper.cases[0].step)
        self._modules = modules
        self._timeout = timeout
        self._late = late

    def flows(self) -> Iterator[Flow]:
        """Load the module and yield the flow of each case; one flow that has failed where it cannot be run."""
        modules = SubmittedModules(self._modules)
        try:
            namespace = modules.load(self._part.name).__dict__
        except BaseException as error:  # sys.exit at import is the submission's failure
            yield Flow((), failure=modules.describe(error))
            return
        implementation, problem = find_implementation(self._part, self._step, namespace, self._cases[0], modules)
        if problem:
            yield Flow((), failure=problem)
            return
        sources = {block.path: block.text for source in self._modules.values() for block in source.blocks}
        for case in self._cases:
            inputs = {
                name: torch.from_numpy(value) if hasattr(value, "dtype") else value
                for name, value in case.inputs.items()
            }
            yield follow(self._step.probe, implementation, inputs, case.seed, sources, modules.describe, self._on_time)

    @contextlib.contextmanager
    def _on_time(self, so_far: Callable[[], Flow]) -> Iterator[None]:
        """Hand over the flow so far when the time of a case is over."""

        def hand_over() -> None:
            flow = so_far()
            what = "this line" if flow.stopped else "your code"
            failure = Failure("timed_out", f"{what} was still running after {self._timeout:g} s")
            self._late(replace(flow, failure=failure))

        timer = threading.Timer(self._timeout, hand_over)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # what it hands over comes before anything else

"""A submission takes no more of the judge than there is for one, whatever its children send and however long they take."""

import contextlib
import socket
from collections.abc import Callable, Iterator

import pytest

from autograder.course import codec
from autograder.course.answer import Answer, Failure
from autograder.exam.model import Exam
from autograder.runner import run as runs
from autograder.runner.answers import Answered, Begun, Loaded, PartAnswers
from autograder.runner.processes import Child
from autograder.runner.run import run
from autograder.runner.wire import Closed, Wire
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE

PART = "part2_network"

Says = Callable[[Wire, str], None]
"""What a child sends once it has begun a step."""


class Scripted:
    """A runner whose children begin the step that waits first, send what a script says, and are silent then."""

    course, together = COURSE.root, 1

    def __init__(self, steps: tuple[str, ...], says: Says) -> None:
        self.opened = 0
        self._steps, self._says = steps, says

    @contextlib.contextmanager
    def child(self) -> Iterator[Child]:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        wire, step = Wire(theirs), self._steps[self.opened]
        self.opened += 1
        with contextlib.suppress(Closed):
            wire.send(codec.encode(Loaded(None, [])))
            wire.send(codec.encode(Begun(step)))
            self._says(wire, step)
        yield Child(Wire(ours), lambda: -9)
        ours.close()
        theirs.close()


@pytest.fixture
def sat(convolution_exam: Exam) -> Callable[[Says], tuple[PartAnswers, int]]:
    """Run a part; return what came of it, and how many children it had."""

    def sat(says: Says) -> tuple[PartAnswers, int]:
        steps = tuple(step.name for step in convolution_exam.syllabus.part(PART).steps)
        runner = Scripted(steps, says)
        submission = Submission("text", {PART: Source.module(f"{PART}.py", "")})
        wanted = {PART: frozenset(steps)}
        found = run(
            runner,  # type: ignore[arg-type]
            submission,
            convolution_exam.syllabus,
            convolution_exam.paper,
            wanted,
            timeout=0.01,
        )
        return found.parts[PART], runner.opened

    return sat


def nothing(wire: Wire, step: str) -> None:
    """Say nothing: the step hangs."""


def kinds(part: PartAnswers) -> set[str]:
    return {answer.failure.kind for answer in part.answers.values() if answer.failure}


def test_steps_that_hang_take_so_many_time_outs_in_all(
    sat: Callable[..., tuple[PartAnswers, int]], convolution_exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "TIMEOUTS", 1)
    part, children = sat(nothing)

    assert children == 1 < len(convolution_exam.syllabus.part(PART).steps)
    assert kinds(part) == {"timed_out"}
    assert {answer.failure.message.partition(".")[0] for answer in part.answers.values() if answer.failure} == {
        "not done after 0",
        "not run: 1 steps of yours have run out of time already",
    }


def test_what_is_said_of_other_cases_is_not_kept(sat: Callable[..., tuple[PartAnswers, int]]) -> None:
    forged = codec.encode(Answered({"another case": Answer(failure=Failure("raised", "no"))}))

    part, _ = sat(lambda wire, _: wire.send(forged))

    assert "another case" not in part.answers

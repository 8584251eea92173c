"""A submission takes no more of the judge than there is for one, whatever its children send and however long they take."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.course.answer import Answer, Failure, TensorValue
from autograder.exam.model import Exam
from autograder.runner import limits as budgets
from autograder.runner.answers import PartAnswers
from autograder.runner.limits import Budget, Limits, Spent
from autograder.runner.processes import Child
from autograder.runner.run import sit
from autograder.runner.wire import ANSWERS, BEGIN, LOADED, PRINTED, Closed, Wire, encode, encode_answers
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE

PART = "part2_network"

Says = Callable[[Wire, str], None]
"""What a child sends once it has begun a step."""


class Scripted:
    """A runner whose children begin the step that waits first, send what a script says, and are silent then."""

    course, process = COURSE.root, SimpleNamespace(together=1, forks=True)

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
            wire.send(LOADED, encode(None))
            wire.send(BEGIN, step.encode())
            self._says(wire, step)
        yield Child(Wire(ours), ours.close, lambda: -9)
        ours.close()
        theirs.close()


@pytest.fixture
def sat(convolution_exam: Exam) -> Callable[[Says, Limits], tuple[PartAnswers, int]]:
    """Let a part sit within limits; return what came of it, and how many children it had."""

    def run(says: Says, limits: Limits) -> tuple[PartAnswers, int]:
        steps = tuple(step.name for step in convolution_exam.syllabus.part(PART).steps)
        runner = Scripted(steps, says)
        submission = Submission("text", {PART: Source.module(f"{PART}.py", "")})
        wanted = {PART: frozenset(steps)}
        found = sit(
            runner,  # type: ignore[arg-type]
            submission,
            convolution_exam.syllabus,
            convolution_exam.paper,
            wanted,
            timeout=0.01,
            budget=Budget(limits, timeout=0.01),
        )
        return found.parts[PART], runner.opened

    return run


def nothing(wire: Wire, step: str) -> None:
    """Say nothing: the step hangs."""


def kinds(part: PartAnswers) -> set[str]:
    return {answer.failure.kind for answer in part.answers.values() if answer.failure}


def test_steps_that_hang_take_so_many_time_outs_in_all(
    sat: Callable[..., tuple[PartAnswers, int]], convolution_exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "SHORTEST_ALLOWANCE", 0.0)
    part, children = sat(nothing, Limits(timeouts=1))

    assert children <= 2 < len(convolution_exam.syllabus.part(PART).steps)
    assert kinds(part) == {"timed_out"}
    assert {answer.failure.message.partition(".")[0] for answer in part.answers.values() if answer.failure} == {
        "not done after 0",
        "not run to its end: your code has taken the 0",
    }


def test_processes_that_end_are_replaced_so_many_times(sat: Callable[..., tuple[PartAnswers, int]]) -> None:
    part, children = sat(nothing, Limits(children=2))

    assert children == 2
    assert kinds(part) == {"timed_out", "crashed"}


def test_what_comes_is_counted_across_children(sat: Callable[..., tuple[PartAnswers, int]]) -> None:
    part, children = sat(lambda wire, _: wire.send(PRINTED, bytes(50_000)), Limits(received=120_000))

    assert children == 3
    assert kinds(part) == {"timed_out", "crashed"}


def test_a_part_of_which_nothing_is_left_to_run_has_an_error(convolution_exam: Exam) -> None:
    runner = Scripted(("relu",), nothing)
    submission = Submission("text", {PART: Source.module(f"{PART}.py", "")})

    found = sit(
        runner,  # type: ignore[arg-type]
        submission,
        convolution_exam.syllabus,
        convolution_exam.paper,
        {PART: frozenset({"relu"})},
        budget=Budget(Limits(children=0)),
    )

    assert (error := found.parts[PART].error)
    assert (error.kind, runner.opened) == ("crashed", 0)


def test_what_is_said_of_other_cases_is_not_kept(sat: Callable[..., tuple[PartAnswers, int]]) -> None:
    forged = encode_answers({"another case": Answer(failure=Failure("raised", "no"))})

    part, _ = sat(lambda wire, _: wire.send(ANSWERS, forged), Limits())

    assert "another case" not in part.answers


def test_of_a_tensor_for_which_there_is_no_room_the_shape_is_kept() -> None:
    answer = Answer({"result": TensorValue("float32", (30,), np.zeros(30, dtype=np.float32))})
    budget = Budget(Limits(kept=200))

    assert [budget.keep(answer).outputs["result"] for _ in range(2)] == [
        answer.outputs["result"],
        TensorValue("float32", (30,), None),
    ]


def test_texts_need_room_too() -> None:
    answer = Answer(failure=Failure("raised", "m" * 4_000, "E", "t" * 4_000))

    kept = Budget(Limits(kept=100)).keep(answer).failure

    assert kept == Failure("raised", "m" * 200)


def test_a_child_more_than_there_may_be_is_none() -> None:
    budget = Budget(Limits(children=1))
    budget.open_child()

    with pytest.raises(Spent, match="1 processes"):
        budget.open_child()

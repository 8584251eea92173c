"""Trials: other definitions in place of a submission's own, each bounded like a sitting."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from quick_starts import quick_starts
from warm import lend

from autograder.course.answer import TensorValue, same_answer
from autograder.exam.model import Exam, PaperCase
from autograder.runner.processes import Runner, open_worker
from autograder.runner.run import Interrupted, Interruption, Trials
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

PART, STEP = "part1_convolution", "pad"

OWN = """
from __future__ import annotations
import torch

EDGE = 0

def around(x, n):
    return torch.nn.functional.pad(x, (n, n, n, n), value=EDGE)

def pad(image: Nothing, padding):
    return around(image, padding)
"""

RIGHT = "def pad(image: Nothing, padding):\n    return around(image, padding)\n"
WRONG = "def pad(image, padding):\n    return around(image, padding + 1)\n"
HANGS = "def pad(image, padding):\n    while True:\n        pass\n"
ENDS = "def pad(image, padding):\n    import os\n    os._exit(3)\n"

ANSWERS_AND_ENDS = """
def pad(image, padding):
    import gc, os, socket
    body = (2).to_bytes(4, "little") + b"{}" + (2).to_bytes(8, "little") + b"{}"
    wire = next(one for one in gc.get_objects() if isinstance(one, socket.socket))
    wire.sendall(b"A" + len(body).to_bytes(4, "little") + body)
    os._exit(0)
"""


@pytest.fixture
def runner(convolution: Workspace) -> Runner:
    """The warm process of the session."""
    borrowed: Runner = lend(convolution.root)
    return borrowed


@pytest.fixture
def cases(convolution_exam: Exam) -> tuple[PaperCase, ...]:
    return convolution_exam.paper.of(PART, frozenset({STEP}))[:2]


@pytest.fixture
def tried(convolution_exam: Exam, cases: tuple[PaperCase, ...]) -> Callable[..., list[str]]:
    """Say of each text whether its answers are right, wrong or none."""

    def run(runner: Runner, *texts: str, own: str = OWN) -> list[str]:
        submission = Submission("text", {PART: Source.module(f"{PART}.py", own)})
        with Trials(runner, submission, PART, Interruption()) as trials:
            found = trials.run(texts, cases)
        keys = [convolution_exam.key.cases[case.path] for case in cases]
        return [
            "none"
            if not trial.answers
            else "right"
            if all(
                same_answer(trial.answers[case.path], key.expected, key.tolerance)
                for case, key in zip(cases, keys, strict=True)
            )
            else "wrong"
            for trial in found
        ]

    return run


def test_each_text_stands_in_place_of_what_it_defines(runner: Runner, tried: Callable[..., list[str]]) -> None:
    assert tried(runner, WRONG, RIGHT) == ["wrong", "right"]


def test_what_one_text_defines_is_unknown_to_the_next(runner: Runner, tried: Callable[..., list[str]]) -> None:
    other = "EDGE = 1\n" + RIGHT

    assert tried(runner, other, RIGHT) == ["wrong", "right"]


def test_a_helper_can_be_replaced_too(runner: Runner, tried: Callable[..., list[str]]) -> None:
    helper = "def around(x, n):\n    return torch.nn.functional.pad(x, (n, n, n, n), value=5)\n"

    assert tried(runner, helper) == ["wrong"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def pad(image, padding:", id="no Python"),
        pytest.param("raise SystemExit", id="ends at once"),
        pytest.param("del pad", id="takes the step away"),
        pytest.param("def pad(image, padding):\n    raise KeyboardInterrupt\n", id="interrupts"),
    ],
)
def test_a_text_that_fails_is_an_answer(runner: Runner, tried: Callable[..., list[str]], text: str) -> None:
    assert tried(runner, text, RIGHT) == ["wrong", "right"]


@pytest.mark.slow
@pytest.mark.parametrize("text", [pytest.param(HANGS, id="hangs"), pytest.param(ENDS, id="ends its process")])
def test_a_text_that_gives_no_answer_costs_itself_alone(
    runner: Runner, tried: Callable[..., list[str]], text: str
) -> None:
    assert tried(runner, text, RIGHT) == ["none", "right"]


def test_a_text_that_forges_its_answers_and_ends_its_process_is_one_trial(
    runner: Runner, tried: Callable[..., list[str]]
) -> None:
    assert tried(runner, ANSWERS_AND_ENDS) == ["none"]


def test_what_they_print_is_not_sent(runner: Runner, tried: Callable[..., list[str]]) -> None:
    loud = "def pad(image, padding):\n    print('x' * 10_000)\n    return around(image, padding)\n"

    assert tried(runner, loud) == ["right"]


def test_an_interruption_ends_them(runner: Runner, cases: tuple[PaperCase, ...]) -> None:
    interruption = Interruption()
    interruption.make()
    submission = Submission("text", {PART: Source.module(f"{PART}.py", OWN)})

    with (
        Trials(runner, submission, PART, interruption) as trials,
        pytest.raises(Interrupted),
    ):
        trials.run([RIGHT], cases)


@pytest.fixture(scope="module")
def worker(convolution: Workspace) -> Iterator[Runner]:
    with quick_starts(), closing(open_worker(convolution.root)) as warm:
        yield warm


@pytest.mark.slow
def test_a_worker_runs_them_too(worker: Runner, tried: Callable[..., list[str]]) -> None:
    assert tried(worker, WRONG, HANGS, RIGHT) == ["wrong", "none", "right"]


def test_answers_are_carried_whole(runner: Runner, cases: tuple[PaperCase, ...], convolution_exam: Exam) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", OWN)})
    with Trials(runner, submission, PART, Interruption()) as trials:
        ((answer, _),) = (trial.answers.values() for trial in trials.run([WRONG], cases))

    (output,) = answer.outputs.values()
    assert isinstance(output, TensorValue)
    assert output.array is not None


def test_they_can_be_traced(runner: Runner, cases: tuple[PaperCase, ...]) -> None:
    submission = Submission("text", {PART: Source.module(f"{PART}.py", OWN)})
    with Trials(runner, submission, PART, Interruption()) as trials:
        traced, plain = trials.run([WRONG], cases, traced=True) + trials.run([WRONG], cases)

    assert [operation.name for operation in traced.traces[cases[0].path].operations] == ["pad"]
    assert not plain.traces

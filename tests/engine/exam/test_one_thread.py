"""Torch computes an exam on one thread: on a busy machine its threads wait for each other."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tiny_course import TinyCourse

from autograder.exam import build

Seen = list[int]


@pytest.fixture
def two_threads() -> Iterator[None]:
    """What torch would take on a machine of two cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def noting(seen: Seen, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which then notes how many threads torch has."""

    def noted(*arguments: Any, **named: Any) -> Any:
        seen.append(torch.get_num_threads())
        return function(*arguments, **named)

    return noted


@pytest.mark.usefixtures("two_threads")
def test_the_reference_answers_on_one_thread(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Seen = []
    monkeypatch.setattr(build, "trace", noting(seen, build.trace))

    tiny.build_exam()

    assert set(seen) == {1}


@pytest.mark.usefixtures("two_threads")
def test_afterwards_torch_has_its_threads_again(tiny: TinyCourse) -> None:
    tiny.build_exam()

    assert torch.get_num_threads() == 2

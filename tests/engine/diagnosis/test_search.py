"""In which order the search for a cure tries edits and cases."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from autograder.course.answer import Answer, TensorValue
from autograder.course.model import Tolerance
from autograder.diagnosis import search as searching
from autograder.diagnosis.attempts import OUTPUTS, SHAPES, Attempt, Change, Definition
from autograder.diagnosis.search import NO_EDIT, Search
from autograder.exam.model import KeyCase, PaperCase
from autograder.grading.checks import Sheet
from autograder.runner.candidate_runs import Trial, Trials

BLOCKED = Definition("f", "own.py", 1, "def f(x):\n    with torch.no_grad():\n        return x.sum(dim=0)\n")
RIGHT, WRONG = (Answer({"y": TensorValue("float32", (1,), np.array([one], np.float32))}) for one in (1.0, 2.0))
SECONDS = {"quick": 0.01, "other": 0.01, "slow": 1.0}


@dataclass
class Clock:
    """Trials that take as long as is said here, by a clock of their own. answers: to all texts, by case; asked: cases, run by run."""

    answers: dict[str, Answer]
    asked: list[set[str]] = field(default_factory=list)
    now: float = 0.0
    is_over: bool = False

    def run(self, texts: Sequence[str], cases: Sequence[PaperCase], traced: bool = False) -> list[Trial]:
        self.asked.append({case.path for case in cases})
        self.now += len(texts) * sum(SECONDS[case.path] for case in cases)
        return [Trial({case.path: self.answers[case.path] for case in cases}) for _ in texts]


def search_with(clock: Clock, progress: float = SHAPES) -> tuple[Search, Attempt]:
    """Return a search for what is wrong in all cases, and the attempt that it begins with."""
    key = KeyCase(RIGHT, Tolerance(0.0, 0.0), {}, {}, ())
    sheets = [cast(Sheet, SimpleNamespace(key=key, answer=WRONG, paper=SimpleNamespace(path=path))) for path in SECONDS]
    begin = Attempt((), {}, frozenset(), sheets[0], progress)
    return Search(begin, sheets, [BLOCKED], (), cast(Trials, clock)), begin


def first_edit(progress: float) -> str:
    search, begin = search_with(Clock({}), progress)
    return next(search.candidates(begin, (2, 3))).changes[-1].edit.slip


def test_what_stops_gradients_is_tried_first_where_the_numbers_are_right() -> None:
    assert first_edit(OUTPUTS) == "context"
    assert first_edit(SHAPES) == "dimension"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the cases that are run of an edit with which the quick ones are answered so, once it is known how long they take."""

    def run(quick: Answer) -> list[set[str]]:
        clock = Clock({"quick": RIGHT, "other": quick, "slow": RIGHT})
        monkeypatch.setattr(searching, "time", SimpleNamespace(monotonic=lambda: clock.now))
        search, begin = search_with(clock)
        attempt = replace(begin, changes=(Change(BLOCKED, NO_EDIT),), texts={"f": BLOCKED.text})
        search.on_all_cases([attempt])
        clock.asked.clear()
        search.on_all_cases([attempt])
        return clock.asked

    return run


def test_a_case_that_takes_long_is_not_run_while_another_is_wrong(asked: Any) -> None:
    assert asked(WRONG) == [{"quick", "other"}]


def test_a_case_that_takes_long_is_run_once_all_others_are_right(asked: Any) -> None:
    assert asked(RIGHT) == [{"quick", "other"}, {"slow"}]

"""A task and a seed decide a training, and a stop in between changes nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from workbench.characters import writing_task
from workbench.induction import induction_task
from workbench.task import Code, Task
from workbench.texts import STORY, read_text
from workbench.trainer import CannotResume, Training

STEPS = 3
FEW = 8


@pytest.fixture
def brief_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model writes a few characters when it is looked at."""
    monkeypatch.setattr("workbench.characters.WRITTEN", FEW)


@pytest.fixture(params=["sequences", "text"])
def task(request: pytest.FixtureRequest, brief_samples: None) -> Task:
    """A task of each kind; of the text, a batch has few rows."""
    if request.param == "sequences":
        return induction_task()
    writing = writing_task(read_text(STORY))
    return replace(writing, batch=lambda generator: writing.batch(generator)[:FEW])


def losses(training: Training, steps: int = STEPS) -> list[float]:
    return [training.step() for _ in range(steps)]


@pytest.mark.slow
def test_a_resumed_training_equals_one_that_was_never_stopped(code: Code, task: Task, tmp_path: Path) -> None:
    straight = Training(code, task, 1)
    expected = losses(straight, 2 * STEPS)
    stopped = Training(code, task, 1)
    begun = losses(stopped)
    stopped.save(tmp_path / "kept.pt")

    resumed = Training(code, task, 1)
    resumed.resume(tmp_path / "kept.pt")

    assert resumed.steps == STEPS
    assert begun + losses(resumed) == expected
    np.testing.assert_array_equal(resumed.observe().maps, straight.observe().maps)


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_checkpoint_that_is_damaged_is_not_resumed(code: Code, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "kept.pt"
    training = Training(code, induction_task(), 1)
    training.save(path)
    path.write_bytes(path.read_bytes()[:1000] if content is None else content)

    with pytest.raises(CannotResume, match="leave out `--resume` to start over"):
        training.resume(path)


def test_a_checkpoint_of_another_model_is_not_resumed(code: Code, tmp_path: Path) -> None:
    Training(code, writing_task(read_text(STORY)), 1).save(tmp_path / "kept.pt")

    with pytest.raises(CannotResume, match="does not fit your model"):
        Training(code, induction_task(), 1).resume(tmp_path / "kept.pt")


class Runs:
    """What runs where it is unpickled."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("ran"),)


def test_nothing_in_a_checkpoint_runs(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"model": Runs()}, tmp_path / "kept.pt")

    with pytest.raises(CannotResume):
        Training(code, induction_task(), 1).resume(tmp_path / "kept.pt")

    assert [path.name for path in tmp_path.iterdir()] == ["kept.pt"]

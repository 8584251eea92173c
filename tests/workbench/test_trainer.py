"""A task and a seed decide a training, and a stop in between changes nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from workbench.characters import writing_task
from workbench.induction import induction_task
from workbench.task import Code, Task
from workbench.texts import OWN, read_text
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
    writing = writing_task(read_text(OWN))
    return replace(writing, batch=lambda generator: writing.batch(generator)[:FEW])


def losses(training: Training, steps: int = STEPS) -> list[float]:
    return [training.step() for _ in range(steps)]


@pytest.mark.slow
def test_a_resumed_training_equals_one_that_was_never_stopped(code: Code, task: Task, tmp_path: Path) -> None:
    straight = Training(code, task, 1, "cpu")
    expected = losses(straight, 2 * STEPS)
    stopped = Training(code, task, 1, "cpu")
    begun = losses(stopped)
    stopped.save(tmp_path / "kept.pt")

    resumed = Training(code, task, 1, "cpu")
    resumed.resume(tmp_path / "kept.pt")

    assert resumed.steps == STEPS
    assert begun + losses(resumed) == expected
    np.testing.assert_array_equal(resumed.observe().maps, straight.observe().maps)


@pytest.mark.parametrize("content", [b"", b"no checkpoint", None])
def test_a_checkpoint_that_is_damaged_is_not_resumed(code: Code, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "kept.pt"
    training = Training(code, induction_task(), 1, "cpu")
    training.save(path)
    path.write_bytes(path.read_bytes()[:1000] if content is None else content)

    with pytest.raises(CannotResume, match="leave out `--resume` to start over"):
        training.resume(path)


def test_a_checkpoint_of_another_model_is_not_resumed(code: Code, tmp_path: Path) -> None:
    Training(code, writing_task(read_text(OWN)), 1, "cpu").save(tmp_path / "kept.pt")

    with pytest.raises(CannotResume, match="does not fit your model"):
        Training(code, induction_task(), 1, "cpu").resume(tmp_path / "kept.pt")


Named, Tensors = dict[str, str], dict[str, Tensor]


def without_second_moment(named: Named, tensors: Tensors) -> None:
    del tensors["moments 0 exp_avg_sq"]


def with_a_weight_that_is_no_number(named: Named, tensors: Tensors) -> None:
    next(one for name, one in tensors.items() if name.startswith("model ")).fill_(torch.nan)


def with_a_huge_moment(named: Named, tensors: Tensors) -> None:
    tensors["moments 0 exp_avg"] = torch.zeros(0, 2**40)


SPOILT = (
    without_second_moment,
    with_a_weight_that_is_no_number,
    with_a_huge_moment,
)


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_checkpoint_made_by_hand_is_not_resumed(code: Code, tmp_path: Path, spoil: Any) -> None:
    path, training = tmp_path / "kept.pt", Training(code, induction_task(), 1, "cpu")
    training.step()
    training.save(path)
    with safe_open(path, framework="pt") as kept:
        named, tensors = kept.metadata(), {name: kept.get_tensor(name).clone() for name in kept.keys()}  # noqa: SIM118
    spoil(named, tensors)
    path.write_bytes(save(tensors, named))

    with pytest.raises(CannotResume, match="or is damaged"):
        training.resume(path)


class Runs:
    """What runs where it is unpickled."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("ran"),)


def test_nothing_in_a_checkpoint_runs(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"model": Runs()}, tmp_path / "kept.pt")

    with pytest.raises(CannotResume):
        Training(code, induction_task(), 1, "cpu").resume(tmp_path / "kept.pt")

    assert [path.name for path in tmp_path.iterdir()] == ["kept.pt"]


@pytest.mark.usefixtures("brief_samples")
def test_characters_that_steer_a_terminal_are_not_shown(code: Code) -> None:
    task = writing_task("a\x1b\x00\x9b\r\n\té" * 200)

    sample = Training(code, task, 1, "cpu").observe().sample

    assert set(sample) == set("a\N{REPLACEMENT CHARACTER}\n\té")
    assert task.shown.startswith("a\N{REPLACEMENT CHARACTER}" + 3 * "\N{REPLACEMENT CHARACTER}" + "\n\té")

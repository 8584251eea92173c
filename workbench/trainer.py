"""Training a model that the student's code makes, and keeping what it has learned."""

import math
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn

from workbench.task import ATTENTION, MODEL, Code, Observation, Task
from workbench.training_files import written_whole

EMB_DIM, NUM_HEADS, NUM_LAYERS = 64, 4, 2
RATE, WARM_UP = 3e-3, 50
"""The learning rate, and the steps in which it rises to that."""


class NoDevice(Exception):
    """torch cannot use the device here; the message says what to do."""


class CannotResume(Exception):
    """The saved training does not fit; the message says what to do."""


class Diverged(Exception):
    """There are nan or inf instead of numbers; the message says since when and where to look."""


class Training:
    """One model in training: a task and a seed decide everything, so that a stop in between changes nothing.

    code: the modules of the two parts. device: a name of torch's. Raises NoDevice.
    """

    def __init__(self, code: Code, task: Task, seed: int, device: str) -> None:
        _check(device)
        self._code, self._task, self._seed, self._device = code, task, seed, device
        torch.manual_seed(seed)
        self._model: nn.Module = (
            code[MODEL]
            .TinyGPT(
                len(task.vocabulary),
                task.context_length,
                EMB_DIM,
                NUM_HEADS,
                NUM_LAYERS,
                0.0,
                code[ATTENTION].MultiHeadAttention,
            )
            .to(device)
        )
        self._optimizer = torch.optim.AdamW(self._model.parameters(), lr=RATE, betas=(0.9, 0.99))
        self.steps = 0

    @property
    def model(self) -> nn.Module:
        """The model as it is now."""
        return self._model

    def step(self) -> float:
        """Take one step, and return the loss before it. Raises Diverged."""
        generator = torch.Generator().manual_seed(self._seed << 20 | self.steps)  # a batch belongs to its step
        tokens = self._task.batch(generator).to(self._device)
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (self.steps + 1) / WARM_UP)
        loss = float(self._code[MODEL].train_step(self._model, self._optimizer, tokens))
        self.steps += 1
        if not (math.isfinite(loss) and self._is_finite()):
            found = "a weight of the model is not finite" if math.isfinite(loss) else f"the loss is {loss}"
            raise Diverged(
                f"{found} at step {self.steps:,}: the training cannot continue. Look for a division by 0, a logarithm "
                "of 0, or numbers that grow without limit. What was saved before is unchanged."
            )
        return loss

    def observe(self) -> Observation:
        """Look at the model as it is now."""
        return self._task.observe(self._code, self._model, self._device)

    def save(self, path: Path) -> None:
        """Save in one file what was learned, and on what. Raises CannotKeep."""
        state = {
            "task": self._task.name,
            "seed": self._seed,
            "steps": self.steps,
            "model": self._model.state_dict(),
            "moments": self._optimizer.state_dict()["state"],
        }
        with written_whole(path) as new:
            torch.save(state, new)

    def resume(self, path: Path) -> None:
        """Continue from what `save` has saved. Raises CannotResume."""
        if not path.is_file():
            raise CannotResume(f"there is nothing to resume, no {path}: leave out `--resume`.")
        try:
            with warnings.catch_warnings(action="ignore"):
                state = torch.load(path, map_location=self._device, weights_only=True)
            fits = self._take(state)
        except Exception:  # torch may raise any error on other files
            fits = False
        if not fits:
            raise CannotResume(
                f"{path} does not fit your model, is of another seed or text, or is damaged: "
                "leave out `--resume` to start over."
            )

    def _take(self, state: dict[str, Any]) -> bool:
        """Take over what was saved, and return whether a training like this one has saved it."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": state["moments"]})
        self.steps = state["steps"]
        return (
            (state["task"], state["seed"]) == (self._task.name, self._seed)
            and isinstance(self.steps, int)
            and self.steps >= 0
            and self._is_finite()
            and all(
                moments["step"] >= 0 and moments["exp_avg"].shape == moments["exp_avg_sq"].shape == weights.shape
                for weights, moments in self._optimizer.state.items()
            )
        )

    def _is_finite(self) -> bool:
        return all(bool(weights.isfinite().all()) for weights in self._model.parameters())


def _check(device: str) -> None:
    """Raise NoDevice if torch cannot use a device."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        found = ", ".join(name for name, is_there in there.items() if is_there)
        raise NoDevice(f"torch cannot use {device} on this machine, only: {found}. Leave out `--device` for the CPU.")

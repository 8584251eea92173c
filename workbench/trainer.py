"""Train a model that the student's code makes, save it, and resume."""

import math
from io import BytesIO
from pathlib import Path

import torch
from torch import nn

from autograder.atomic_write import atomic_write
from autograder.course.errors import ExplainedError
from workbench.task import ATTENTION, MODEL, Code, Observation, Task

EMB_DIM, NUM_HEADS, NUM_LAYERS = 64, 4, 2

RATE, WARM_UP = 3e-3, 50
"""The learning rate, and the number of steps in which it rises from 0."""


class CannotResume(ExplainedError):
    """The saved training does not exist or does not fit. The message says what to do."""


class NoDevice(ExplainedError):
    """torch cannot use a device on this machine."""


class Diverged(ExplainedError):
    """The loss is nan or inf. The message names the step."""


class Training:
    """A model in training. Task and seed determine the result, even if the training is interrupted.

    code: the modules of the two parts. device: torch's name for the device. Raises NoDevice.
    """

    def __init__(self, code: Code, task: Task, seed: int, device: str = "cpu") -> None:
        there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if not there[device]:
            raise NoDevice(f"torch cannot use {device} on this machine: leave out `--device` for the CPU.")
        self._code, self._task, self._seed, self._device = code, task, seed, device
        torch.manual_seed(seed)
        attention = code[ATTENTION].MultiHeadAttention
        self.model: nn.Module = (
            code[MODEL]
            .TinyGPT(len(task.vocabulary), task.context_length, EMB_DIM, NUM_HEADS, NUM_LAYERS, 0.0, attention)
            .to(device)
        )
        self._optimizer = torch.optim.AdamW(self.model.parameters(), lr=RATE, betas=(0.9, 0.99))
        self.steps = 0

    def step(self) -> float:
        """Train for one step, and return the loss before the step. Raises Diverged."""
        generator = torch.Generator().manual_seed(self._seed << 20 | self.steps)  # a batch belongs to its step
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (self.steps + 1) / WARM_UP)
        tokens = self._task.batch(generator).to(self._device)
        loss = float(self._code[MODEL].train_step(self.model, self._optimizer, tokens))
        self.steps += 1
        if not math.isfinite(loss):
            raise Diverged(
                f"the loss is {loss} at step {self.steps:,}: the training cannot continue. Look for a division by 0, "
                "a logarithm of 0, or numbers that grow without limit. What was saved before is unchanged."
            )
        return loss

    def observe(self) -> Observation:
        """Return the present behaviour of the model."""
        return self._task.observe(self._code, self.model)

    def save(self, path: Path) -> None:
        """Save the training in one file. Raises OSError."""
        content = BytesIO()
        states = {"model": self.model.state_dict(), "optimizer": self._optimizer.state_dict()}
        torch.save({"task": self._task.name, "seed": self._seed, "steps": self.steps, **states}, content)
        atomic_write(path, content.getvalue())

    def resume(self, path: Path) -> None:
        """Continue from a file that `save` has written. Raises CannotResume."""
        if not path.is_file():
            raise CannotResume(f"there is nothing to resume, no {path}: leave out `--resume`.")
        try:
            kept = torch.load(path, map_location="cpu", weights_only=True)
            self.model.load_state_dict(kept["model"])
            self._optimizer.load_state_dict(kept["optimizer"])
            self.steps = kept["steps"]
            fits = (kept["task"], kept["seed"]) == (self._task.name, self._seed)
        except Exception:  # torch may raise any error on other files
            fits = False
        if not fits:
            raise CannotResume(
                f"{path} does not fit your model, is of another seed or text, or is damaged: "
                "leave out `--resume` to start over."
            )

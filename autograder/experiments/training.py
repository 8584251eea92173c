"""Training a model that the student's code makes, and keeping what it has learned."""

import os
import pickle
from pathlib import Path

import torch

from autograder.experiments.task import ATTENTION, MODEL, Code, Observation, Task

EMB_DIM, NUM_HEADS, NUM_LAYERS = 64, 4, 2
RATE, WARM_UP = 3e-3, 50
"""The learning rate, and the steps in which it rises to that."""


class NoDevice(Exception):
    """torch cannot use the device here; the message says what to do."""


class CannotResume(Exception):
    """What was kept does not fit; the message says what to do."""


class Training:
    """One model on its way: a task and a seed decide everything, so that a stop in between changes nothing.

    code: the modules of the two parts. device: a name of torch's. Raises NoDevice.
    """

    def __init__(self, code: Code, task: Task, seed: int, device: str) -> None:
        _check(device)
        self._code, self._task, self._seed, self._device = code, task, seed, device
        torch.manual_seed(seed)
        self._model = (
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

    def step(self) -> float:
        """Take one step, and return the loss before it."""
        generator = torch.Generator().manual_seed(self._seed << 20 | self.steps)  # a batch belongs to its step
        tokens = self._task.batch(generator).to(self._device)
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (self.steps + 1) / WARM_UP)
        loss = float(self._code[MODEL].train_step(self._model, self._optimizer, tokens))
        self.steps += 1
        return loss

    def observe(self) -> Observation:
        """Look at the model as it is now."""
        return self._task.observe(self._code, self._model, self._device)

    def save(self, path: Path) -> None:
        """Keep model, optimizer and steps in one file. A kill leaves the old file or the new one."""
        new = path.with_suffix(".part")
        state = {"model": self._model.state_dict(), "optimizer": self._optimizer.state_dict(), "steps": self.steps}
        torch.save(state, new)
        os.replace(new, path)

    def resume(self, path: Path) -> None:
        """Go on from what `save` has kept. Raises CannotResume."""
        try:
            state = torch.load(path, map_location=self._device, weights_only=True)
            self._model.load_state_dict(state["model"])
            self._optimizer.load_state_dict(state["optimizer"])
            self.steps = int(state["steps"])
        except FileNotFoundError:
            raise CannotResume(f"there is nothing to resume, no {path}: leave out `--resume`.") from None
        except (OSError, RuntimeError, ValueError, KeyError, TypeError, EOFError, pickle.UnpicklingError):
            raise CannotResume(
                f"{path} does not fit your model, or is damaged: leave out `--resume` to begin anew."
            ) from None


def _check(device: str) -> None:
    """Raise NoDevice where torch cannot use a device."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        found = ", ".join(name for name, is_there in there.items() if is_there)
        raise NoDevice(f"torch cannot use {device} on this machine, but: {found}. Leave out `--device` for the CPU.")

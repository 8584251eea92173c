"""Training a model that the student's code makes, and keeping what it has learned."""

import math
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from workbench.task import ATTENTION, MODEL, Code, Observation, Task
from workbench.training_files import written_whole

EMB_DIM, NUM_HEADS, NUM_LAYERS = 64, 4, 2
MODEL_OF, MOMENTS_OF = "model ", "moments "
"""How the names of the tensors of both begin in what is saved."""

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
        named = {"task": self._task.name, "seed": str(self._seed), "steps": str(self.steps)}
        tensors = {f"{MODEL_OF}{name}": weights for name, weights in self._model.state_dict().items()}
        for number, moments in self._optimizer.state_dict()["state"].items():
            tensors |= {f"{MOMENTS_OF}{number} {name}": moment for name, moment in moments.items()}
        apart = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
        with written_whole(path) as new:
            new.write_bytes(save(apart, named))

    def resume(self, path: Path) -> None:
        """Continue from what `save` has saved. Raises CannotResume."""
        if not path.is_file():
            raise CannotResume(f"there is nothing to resume, no {path}: leave out `--resume`.")
        try:
            with safe_open(path, framework="pt") as kept:
                fits = self._take(kept.metadata(), {name: kept.get_tensor(name) for name in kept.keys()})  # noqa: SIM118
        except Exception:  # safetensors and torch may raise any error on other files
            fits = False
        if not fits:
            raise CannotResume(
                f"{path} does not fit your model, is of another seed or text, or is damaged: "
                "leave out `--resume` to start over."
            )

    def _take(self, named: dict[str, str], tensors: dict[str, Tensor]) -> bool:
        """Take over what was saved, and return whether a training like this one has saved it."""
        model = {name.removeprefix(MODEL_OF): one for name, one in tensors.items() if name.startswith(MODEL_OF)}
        moments: dict[int, dict[str, Tensor]] = {}
        for name in tensors.keys() - {f"{MODEL_OF}{own}" for own in model}:
            number, _, moment = name.removeprefix(MOMENTS_OF).partition(" ")
            moments.setdefault(int(number), {})[moment] = tensors[name]
        self._model.load_state_dict(model)
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": moments})
        self.steps = int(named["steps"])
        return (
            (named["task"], named["seed"]) == (self._task.name, str(self._seed))
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

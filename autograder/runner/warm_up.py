"""What is slow the first time, done once before any student waits for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jaxtyping
import numpy as np
import torch

from autograder.course import codec
from autograder.course.course import read_course
from autograder.course.forbidding import guard
from autograder.course.model import Part, Step
from autograder.course.modules import construct, parameters
from autograder.course.operations import LargestTensor, without_compiler
from autograder.course.probing import Observation
from autograder.exam.model import Paper, PaperCase
from autograder.runner.child import Printer, run_part
from autograder.runner.loading import SubmittedModules
from autograder.submission.model import Source

SGD = without_compiler(torch.optim.SGD)

REHEARSED = """
import torch
from torch import nn


def operations(x):
    results = [
        x @ x.sin(),
        (x.view(2, 2, 2, 4) @ x.view(2, 2, 4, 2)).view(2, 4, 2).repeat(1, 1, 2),
        x.view(4, 8).transpose(0, 1).reshape(2, 4, 4),
        x.masked_fill(torch.ones(5, 5).tril()[:4, :4] == 0, -9.0).exp(),
        torch.softmax(x, dim=-1) / 3**0.5,
        torch.cat([x, x * 2], dim=-1)[..., :4],
    ]
    return sum(results)


class Module(nn.Module):
    def __init__(self, d_in, d_out, p, bias=False):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d_in, d_out, bias) for _ in range(3))
        self.register_buffer("ones", torch.ones(d_in))
        self.drop = nn.Dropout(p)

    def forward(self, x):
        results = [layer(x)[..., :4] for layer in self.layers]
        return self.drop(sum(results)) + x * self.ones + torch.softmax(x, dim=-1)
"""
"""Meaningless, but for the operations that students call: it goes to students too, so it must not show how a step is solved."""


def warm_up(folder: str) -> None:
    """Load all parts of the course in a folder, and rehearse a sitting, in one thread: a process that has run threads must not fork."""
    assert jaxtyping.Float  # every stub imports it
    torch.set_num_threads(1)
    _leave_out_compiler()
    # It would compile GELU anew for every shape that comes.
    torch.backends.mkldnn.set_flags(_enabled=False)  # type: ignore[no-untyped-call]
    _rehearse()
    course = read_course(Path(folder))
    for name in course.parts:
        for step in course.part(name).steps:
            guard(step.forbids)


def _leave_out_compiler() -> None:
    """Have torch run what it is asked to compile as it is. To import its compiler takes seconds, in each child and within its time."""

    def compiled(model: Any = None, **_: object) -> Any:
        return (lambda function: function) if model is None else model

    def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
        torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)

    torch.compile = torch.jit.script = compiled  # type: ignore[assignment]
    torch.use_deterministic_algorithms = use_deterministic_algorithms


def _rehearse() -> None:
    """Have a part of our own run as a student's is."""
    modules = SubmittedModules({PART.name: Source.module("rehearsal.py", REHEARSED)})
    paper = Paper(
        tuple(
            PaperCase(PART.name, step.name, dtype, 0, True, {"x": np.ones((2, 4, 4), dtype=dtype)})
            for step in PART.steps
            for dtype in ("float32", "float64")
        )
    )
    for _ in run_part(PART, codec.decode(codec.encode(paper), Paper).cases, modules, Printer(lambda *_: None)):
        pass


def _rehearse_module(cls: Any, x: torch.Tensor) -> Observation:
    module = construct(cls, {"d_in": 4, "d_out": 8, "p": 0.5}, bias=True).to(x.dtype)
    torch.autograd.grad(module(x).sum(), list(module.parameters()), allow_unused=True)
    module(x).sum().backward()
    SGD(module.parameters(), lr=0.1).step()
    dropped, whole = module(x), module.eval()(x)
    outputs = {"dropped": dropped, "whole": whole, "same": torch.allclose(whole, module(x), equal_nan=True)}
    return Observation(outputs, parameters(module))


def _rehearse_watched(function: Any, x: torch.Tensor) -> torch.Tensor:
    with LargestTensor():
        result: torch.Tensor = function(x)
    return result


def _step(name: str, probe: Callable[..., Any]) -> Step:
    return Step(name, "", 0, "", (), lambda draw: (), probe, forbids=("nothing",))


PART = Part("rehearsal", "", (_step("operations", _rehearse_watched), _step("Module", _rehearse_module)))

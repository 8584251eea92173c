"""torch's optimisers for probes, which hand them to a step, without torch's compiler.

At its first use an optimiser of torch's own imports that compiler, which takes a second: in each child, within a step's time.
"""

import inspect
from typing import TypeVar

import torch
from torch.optim import Optimizer

Kind = TypeVar("Kind", bound=Optimizer)


def without_compiler(kind: type[Kind]) -> type[Kind]:
    """Return a kind of optimiser whose methods are not wrapped in what keeps the compiler away, and so loads it."""
    methods = {name: inspect.unwrap(getattr(kind, name)) for name in ("add_param_group", "zero_grad", "step")}
    methods["step"] = torch.no_grad()(methods["step"])
    return type(kind.__name__, (kind,), methods)

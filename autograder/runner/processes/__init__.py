"""Warm processes that import torch once and then run students' code: a forker with a child a sitting, or a worker used again.

`runner` opens one and replaces it when it has ended, `forker` and `worker` are the host's side of each, and what they start is
`forker_main` and `worker_main`. With `standby` a forker outlives the command that started it. The host's side is free of torch and of
NumPy.
"""

from autograder.runner.processes.process import CannotSit, Child, Died
from autograder.runner.processes.runner import Runner, open_runner, open_worker, stop_standby

__all__ = ["CannotSit", "Child", "Died", "Runner", "open_runner", "open_worker", "stop_standby"]

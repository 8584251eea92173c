"""Start graders on this machine or on a Dask cluster, and give them a `concurrent.futures.Executor`."""

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from dataclasses import dataclass

from autograder.classroom.grader import Conditions, close_graders, get_ready
from autograder.runner.processes import CannotRun, spawning
from autograder.sandbox import levels, linux

AHEAD = 2
"""The number of submissions that each grader holds, so that it never waits for the next one."""

CONNECT_TIMEOUT = 30


@dataclass(frozen=True)
class Graders:
    """Graders that are ready. executor: runs `grade` in the graders.

    width: returns how many submissions they hold. broken: raised for a submission whose grader died.
    """

    executor: Executor
    width: Callable[[], int]
    broken: type[Exception] = BrokenExecutor


Start = Callable[[Conditions], contextlib.AbstractContextManager[Graders]]
"""A function that starts graders with the given conditions. It raises CannotRun."""


@contextlib.contextmanager
def local_graders(jobs: int | None, conditions: Conditions) -> Iterator[Graders]:
    """Start `jobs` graders, by default one per core, as processes that any exception kills. Raises CannotRun."""
    jobs = jobs or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with ProcessPoolExecutor(jobs, spawning(), _end_with, (os.getpid(),)) as pool:
        try:
            list(pool.map(get_ready, [conditions] * jobs))
            yield Graders(pool, lambda: jobs * AHEAD)
        except BrokenExecutor:
            raise CannotRun("the graders died before they were ready. `attn doctor` says what is missing.") from None
        except BaseException:
            for process in multiprocessing.active_children():
                process.kill()
            raise


def _end_with(parent: int) -> None:
    """Leave Ctrl-C to the parent process. On Linux, end this process when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


@contextlib.contextmanager
def dask_graders(address: str, conditions: Conditions) -> Iterator[Graders]:
    """Use a grader in each thread of a Dask cluster. address: of its scheduler. Raises CannotRun."""
    from distributed import Client, KilledWorker

    try:
        with Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
            for worker, layers in client.run(levels.missing_of, conditions.sandbox).items():
                if layers:
                    lacks = f"{layers[0].name}: {layers[0].missing}. To get it: {layers[0].advice}"
                    raise CannotRun(f"the Dask worker {worker} lacks a layer of the sandbox, {lacks}")
            executor = client.get_executor(pure=False)
            yield Graders(executor, lambda: max(1, sum(client.nthreads().values())) * AHEAD, KilledWorker)
            client.run(close_graders)
    except (CancelledError, ImportError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.filename:  # a file of this machine
            raise
        expected = "A scheduler was expected, and workers with this course and its extra [instructor]."
        raise CannotRun(f"the Dask cluster at {address} cannot be used ({error!r}). {expected}") from error

"""Run graders in processes of this machine, or on a Dask cluster, as a `concurrent.futures.Executor`."""

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from typing import Any, Protocol

from autograder.classroom.grader import Conditions, close_graders, get_ready
from autograder.runner.processes import CannotRun, spawning
from autograder.sandbox import levels, linux

AHEAD = 2
"""Submissions handed to each grader at once, so that a grader never waits for the next one."""

CONNECT_TIMEOUT = 30


class Workers(Protocol):
    """Graders. given: their conditions. broken: the exceptions that mean that a grader died."""

    given: Conditions
    broken: tuple[type[Exception], ...]

    @property
    def width(self) -> int:
        """The number of submissions that graders have at once."""
        ...

    def executor(self) -> contextlib.AbstractContextManager[Executor]:
        """Open an executor that runs `grade`. Raises CannotRun."""
        ...


class LocalWorkers:
    """Graders in processes of this machine. jobs: the number of processes."""

    broken: tuple[type[Exception], ...] = (BrokenExecutor,)

    def __init__(self, conditions: Conditions, jobs: int) -> None:
        self.given = conditions
        self.width = jobs * AHEAD
        self._jobs = jobs

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        """Start the processes. An exception such as Ctrl-C kills them.

        Raises CannotRun if no process can be started, or if all died before they were ready.
        """
        pool = ProcessPoolExecutor(self._jobs, spawning(), _end_with, (os.getpid(),))
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: this process ends the others
        try:
            ready = [pool.submit(get_ready, self.given) for _ in range(self._jobs)]
            signal.signal(signal.SIGINT, before)
            yield pool
        except BaseException as error:
            for process in multiprocessing.active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)
            if isinstance(error, OSError) and not error.filename:
                raise CannotRun(f"no grader could be started: {error.strerror}.") from error
            raise
        finally:
            signal.signal(signal.SIGINT, before)
        pool.shutdown()
        if all(isinstance(one.exception(), BrokenExecutor) for one in ready):
            raise CannotRun("the graders died before they were ready. `attn doctor` says what is missing.")


def _end_with(parent: int) -> None:
    """On Linux, make this process end when its parent ends."""
    if sys.platform == "linux":
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


class DaskWorkers:
    """Graders on a Dask cluster, one per thread. address: the scheduler's, as in tcp://10.0.0.1:8786."""

    def __init__(self, conditions: Conditions, address: str) -> None:
        from distributed import KilledWorker

        self.broken: tuple[type[Exception], ...] = (KilledWorker,)
        self.given = conditions
        self._address = address
        self._client: Any = None

    @property
    def width(self) -> int:
        """The number of submissions that the workers present now have at once."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values())) * AHEAD

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        """Connect to the cluster. Raises CannotRun."""
        from distributed import Client
        from distributed.comm.core import CommClosedError

        try:
            self._client = Client(self._address, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise CannotRun(f"there is no Dask scheduler at {self._address}: {error}") from error
        with self._client as client:
            self._require_workers(client)
            try:
                yield client.get_executor(pure=False)
                client.run(close_graders)
            except (CancelledError, CommClosedError) as error:
                raise CannotRun(f"the Dask scheduler at {self._address} is gone.") from error

    def _require_workers(self, client: Any) -> None:
        """Raise CannotRun if no worker comes, or one lacks the course or a layer of the sandbox."""
        try:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
            found = client.run(levels.missing_of, self.given.sandbox)
        except TimeoutError as error:
            raise CannotRun(f"the Dask scheduler at {self._address} has no workers") from error
        except ImportError as error:
            said = "install it there, [instructor] too"
            raise CannotRun(f"the Dask workers lack this course ({error}): {said}") from error
        for worker, layer in ((worker, layers[0]) for worker, layers in found.items() if layers):
            told = f"{layer.name}: {layer.missing}. To get it: {layer.advice}"
            level = self.given.sandbox
            raise CannotRun(f"the Dask worker {worker} lacks a layer of the sandbox `{level}`: {told}")

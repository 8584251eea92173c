"""Where graders run: in processes of this machine, or on a Dask cluster. Both are a `concurrent.futures.Executor`."""

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from multiprocessing.context import SpawnContext
from typing import Any, Protocol

from autograder.classroom.grader import Conditions
from autograder.classroom.marking_process import close_graders, get_ready, set_conditions
from autograder.runner.processes import CannotRun, spawning
from autograder.sandbox import levels, linux

AHEAD = 2
"""Submissions handed to each grader at once, so that it never waits for the next."""

CONNECT_TIMEOUT = 30


class Workers(Protocol):
    """Graders at work under some conditions. broken: what is raised for a submission whose grader died."""

    conditions: Conditions
    broken: tuple[type[Exception], ...]

    @property
    def width(self) -> int:
        """How many submissions to hand out at once."""
        ...

    def executor(self) -> contextlib.AbstractContextManager[Executor]:
        """Give an executor on which `grade` runs. Raises CannotRun."""
        ...


class LocalWorkers:
    """Graders in processes of this machine, each with its own forker. jobs: how many."""

    broken: tuple[type[Exception], ...] = (BrokenExecutor,)

    def __init__(self, conditions: Conditions, jobs: int) -> None:
        self.conditions = conditions
        self._jobs = jobs
        self.width = jobs * AHEAD

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        """Give a pool of processes; they are killed if its use ends with an exception, such as Ctrl-C.

        Raises CannotRun if none can be started, or all have died before one of them was ready, so before any student's code.
        """
        pool, ready = self._started(spawning())
        try:
            yield pool
        except BaseException:
            _kill(pool)
            raise
        pool.shutdown()
        if all(isinstance(one.exception(), BrokenExecutor) for one in ready):
            raise CannotRun("the graders died before they were ready. `attn doctor` says what is missing.")

    def _started(self, context: SpawnContext) -> tuple[ProcessPoolExecutor, list[Future[None]]]:
        """Start a pool; return it, and for each of its processes when it is ready. Raises CannotRun."""
        pool = None
        try:
            pool = ProcessPoolExecutor(self._jobs, context, _begin_here, (self.conditions, os.getpid()))
            with _interrupts_held():
                return pool, [pool.submit(get_ready, self.conditions.digest) for _ in range(self._jobs)]
        except OSError as error:
            if pool:
                _kill(pool)
            raise CannotRun(f"no grader could be started: {error.strerror}.") from error


def _kill(pool: ProcessPoolExecutor) -> None:
    """End a pool with all that its processes do."""
    for process in multiprocessing.active_children():
        process.kill()
    pool.shutdown(cancel_futures=True)


def _begin_here(conditions: Conditions, parent: int) -> None:
    if sys.platform == "linux":
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    set_conditions(conditions)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C: their parent ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class DaskWorkers:
    """Graders on the workers of a Dask cluster, one a thread. address: the scheduler's, for example tcp://10.0.0.1:8786."""

    def __init__(self, conditions: Conditions, address: str) -> None:
        from distributed import KilledWorker

        self.broken: tuple[type[Exception], ...] = (KilledWorker,)
        self.conditions = conditions
        self._address = address
        self._client: Any = None

    @property
    def width(self) -> int:
        """How many submissions to hand out at once; workers may come and go."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values())) * AHEAD

    @contextlib.contextmanager
    def executor(self) -> Iterator[Executor]:
        """Give the cluster as an executor; its workers, those that come later too, are given the conditions first."""
        from distributed import Client
        from distributed.comm.core import CommClosedError

        try:
            self._client = Client(self._address, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise CannotRun(f"there is no Dask scheduler at {self._address}: {error}") from error
        plugin = f"attn grade {self.conditions.digest}"
        with self._client as client:
            self._require_workers(client)
            client.register_plugin(_plugin(self.conditions), name=plugin)
            try:
                yield client.get_executor(pure=False)
            except (CancelledError, CommClosedError) as error:
                raise CannotRun(f"the Dask scheduler at {self._address} is gone.") from error
            client.unregister_worker_plugin(plugin)

    def _require_workers(self, client: Any) -> None:
        """Raise CannotRun if no worker comes, or one lacks the course or a layer of the sandbox."""
        try:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
            missing = client.run(levels.missing_of, self.conditions.sandbox)
        except TimeoutError as error:
            raise CannotRun(f"the Dask scheduler at {self._address} has no workers") from error
        except ImportError as error:
            raise CannotRun(
                f"the Dask workers lack this course ({error}): install it there, [instructor] too"
            ) from error
        for worker, layers in missing.items():
            for layer in layers:
                told = f"{layer.name}: {layer.missing}. To get it: {layer.advice}"
                raise CannotRun(
                    f"the Dask worker {worker} lacks a layer of the sandbox `{self.conditions.sandbox}`: {told}"
                )


def _plugin(conditions: Conditions) -> Any:
    from distributed import WorkerPlugin

    class Begin(WorkerPlugin):
        """Gives a Dask worker the conditions before its first submission."""

        def setup(self, worker: Any) -> None:
            set_conditions(conditions)

        def teardown(self, worker: Any) -> None:
            close_graders(conditions)

    return Begin()

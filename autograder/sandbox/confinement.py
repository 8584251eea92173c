"""Confine each child process of a sandboxed server before it reads its job."""

import os
import resource
import signal

from autograder.sandbox import Confinement, landlock, linux

THREADS = 16
"""The maximum number of threads that the server's user may run in the server's user namespace.

Without a user namespace, the user's running threads are counted and added. Honest code has one
thread: torch starts none, because `OMP_THREAD_LIMIT` is 1.
"""

DESCRIPTORS = 32
ADDRESSES = 64 << 30
"""The maximum bytes of address space of a child: page tables could fill the memory otherwise."""
WRITABLE = ("/dev/null",)


class Confiner:
    """Forks child processes that confine themselves, with rules prepared once, in the server."""

    def __init__(self, confinement: Confinement) -> None:
        self._namespaces = confinement.namespaces
        with open(confinement.filter, "rb") as compiled:
            self._filter = compiled.read()
        self._rules = landlock.make_ruleset(confinement.readable, WRITABLE)
        self._own = os.pidfd_open(os.getpid())
        self._threads = THREADS + (0 if self._namespaces else _tasks_of_user())
        linux.prctl(linux.PR_SET_DUMPABLE, 0)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The file descriptors that a child process keeps open until it calls `enter`."""
        return (self._rules,)

    def fork(self) -> int:
        """Fork as `os.fork` does, in a new process namespace if namespaces are used. Raises OSError."""
        if not self._namespaces:
            return os.fork()
        linux.unshare(linux.CLONE_NEWPID)
        pid = -1
        try:
            pid = os.fork()
        finally:
            if pid:
                linux.setns(self._own, linux.CLONE_NEWPID)
        return pid

    def enter(self) -> None:
        """Confine this process permanently. Raises OSError."""
        if self._namespaces:
            linux.unshare(linux.CLONE_NEWIPC)
        linux.drop_capabilities()
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)  # dropping capabilities has cleared this setting
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        landlock.enter(self._rules)
        os.close(self._rules)
        for limit, value in (
            (resource.RLIMIT_NPROC, self._threads),
            (resource.RLIMIT_AS, ADDRESSES),
            (resource.RLIMIT_NOFILE, DESCRIPTORS),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
            (resource.RLIMIT_MEMLOCK, 0),
        ):
            resource.setrlimit(limit, (value, value))
        linux.load_filter(self._filter)


def _tasks_of_user() -> int:
    """Count this user's threads: without a user namespace, the process limit counts all of them."""
    tasks = 0
    for process in os.listdir("/proc"):
        try:
            if process.isdigit() and os.stat(f"/proc/{process}").st_uid == os.getuid():
                tasks += len(os.listdir(f"/proc/{process}/task"))
        except OSError:  # the process has ended meanwhile
            continue
    return tasks

"""What each child of a sandboxed server enters before it reads a byte of its job."""

import os
import resource
import signal

from autograder.sandbox import Confinement, landlock, linux

THREADS = 16
"""Besides those that its server has. Honest code has one: torch starts none, whatever it is told (`OMP_THREAD_LIMIT`)."""

DESCRIPTORS = 32
ADDRESSES = 64 << 30
"""Bytes that may be mapped, used or not. Torch's libraries take a few; without a bound, the tables of what is mapped fill the memory."""
WRITABLE = ("/dev/null",)


class Confiner:
    """Forks children that confine themselves. What can be made once is made here, in the server."""

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
        """The descriptors that a child needs until it has entered."""
        return (self._rules,)

    def fork(self) -> int:
        """Fork, into a fresh process namespace where there are namespaces. Returns 0 in the child. Raises OSError."""
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
        """Confine this process for good."""
        if self._namespaces:
            linux.unshare(linux.CLONE_NEWIPC)
        linux.drop_capabilities()
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)  # giving up capabilities has cleared it
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
    """Count the threads that this user has: without a user namespace of its own, the limit counts them all."""
    tasks = 0
    for process in os.listdir("/proc"):
        try:
            if process.isdigit() and os.stat(f"/proc/{process}").st_uid == os.getuid():
                tasks += len(os.listdir(f"/proc/{process}/task"))
        except OSError:  # it has ended meanwhile
            continue
    return tasks

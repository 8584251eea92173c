"""Lets the grader run on Linux as if on Windows or macOS: it finds that name, and nothing that this system lacks.

Python imports this module at its start where its folder is in PYTHONPATH; ELSEWHERE names the system as `sys.platform` does. Only the
grader's own modules and its tests are deceived: libraries go on as on Linux, and paths are still Linux's. On Windows, the `msvcrt`
beside this module stands in for Python's.
"""

import builtins
import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = str(Path(__file__).resolve().parent)
TESTS = str(Path(HERE).parent.parent)

NAMES: dict[str, dict[str, dict[str, Any]]] = {
    "darwin": {"sys": {"platform": "darwin"}, "platform": {"system": lambda: "Darwin"}},
    "win32": {"sys": {"platform": "win32"}, "os": {"name": "nt"}, "platform": {"system": lambda: "Windows"}},
}
LACKS: dict[str, dict[str, str]] = {
    "darwin": {
        "os": "O_PATH pidfd_open sched_getaffinity setns unshare",
        "select": "epoll",
        "signal": "pidfd_send_signal",
    },
    "win32": {
        "os": "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH WNOHANG chown fork forkpty getegid geteuid getgid getloadavg "
        "getpgid getuid killpg mkfifo nice openpty pidfd_open posix_spawn sched_getaffinity setns setpgid setsid statvfs "
        "uname unshare",
        "select": "epoll poll",
        "signal": "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGQUIT SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm pidfd_send_signal "
        "pthread_kill pthread_sigmask setitimer",
        "socket": "AF_UNIX MSG_DONTWAIT SOCK_SEQPACKET recv_fds send_fds",
        "time": "tzset",
    },
}
LACKS_MODULES = {"darwin": "", "win32": "curses fcntl grp posix pty pwd readline resource syslog termios tty"}
ONLY_THERE = {"darwin": "", "win32": "msvcrt"}


class Elsewhere(ModuleType):
    """A module of the standard library as another system has it."""

    def __init__(self, module: ModuleType, other: dict[str, Any], lacks: set[str]) -> None:
        super().__init__(module.__name__)
        vars(self).update(_module=module, _other=other, _lacks=lacks)

    def __getattr__(self, name: str) -> Any:
        if name in self._lacks:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on this system")
        return self._other.get(name, getattr(self._module, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)


def is_deceived(module: dict[str, Any]) -> bool:
    """Tell whether a module is one of the grader's or of its tests, from its globals."""
    if str(module.get("__package__") or "").partition(".")[0] == "autograder":
        return True
    file = str(module.get("__file__") or "")
    return file.startswith(TESTS) and not file.startswith(HERE)


def deceive(system: str) -> None:
    """Replace how modules are imported, for the grader's own and its tests."""
    names, lacks = NAMES[system], LACKS[system]
    changed = {
        name: Elsewhere(importlib.import_module(name), names.get(name, {}), set(lacks.get(name, "").split()))
        for name in {*names, *lacks}
    }
    missing = {*LACKS_MODULES[system].split()}
    hidden = {"msvcrt"} - {*ONLY_THERE[system].split()}
    real = builtins.__import__

    def import_module(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if not is_deceived(globals or {}):
            if name == "msvcrt":
                raise ModuleNotFoundError(f"No module named {name!r}")
            return real(name, globals, locals, fromlist, level)
        if name in missing | hidden:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return changed.get(name) or real(name, globals, locals, fromlist, level)

    builtins.__import__ = import_module


if "ELSEWHERE" in os.environ:
    deceive(os.environ["ELSEWHERE"])

"""Linux system calls that Python's standard library does not offer."""

import ctypes
import os
import struct
import sys
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2

CLONE_NEWNS = 0x00020000

MS_NOSUID = 0x2
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call by number, and return its result. Raises OSError."""
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    call = libc.syscall
    call.restype = ctypes.c_long
    return _checked(call(ctypes.c_long(number), *given))


def prctl(option: int, first: int = 0, second: int = 0) -> None:
    """Set an attribute of this process. Raises OSError."""
    _checked(libc.prctl(option, *(ctypes.c_ulong(one) for one in (first, second, 0, 0))))


def unshare(namespaces: int) -> None:
    """Move this process into new namespaces, by `CLONE_NEW...` flags. Raises OSError."""
    _checked(libc.unshare(namespaces))


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or change a mount. Raises OSError."""
    _checked(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()))


def load_filter(program: bytes) -> None:
    """Apply a compiled seccomp filter to this process permanently. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    loaded = ctypes.create_string_buffer(struct.pack("H6xQ", len(program) // 8, ctypes.addressof(code)))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(loaded))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

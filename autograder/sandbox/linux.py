"""Linux system calls that Python's standard library does not offer, and confinement by the kernel.

With Landlock, a process permanently restricts its own access to files: see "Landlock: unprivileged
access control" in the Linux kernel's documentation. A seccomp filter refuses system calls.
"""

import base64
import contextlib
import ctypes
import errno
import os
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
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

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1
PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
ALL_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
ALL = (1 << 16) - 1
NETWORK = 0b11

LIMITS = {
    "RLIMIT_AS": 64 << 30,  # a larger address space could fill the memory with page tables
    "RLIMIT_NOFILE": 32,
    "RLIMIT_FSIZE": 0,
    "RLIMIT_MEMLOCK": 0,
}
WRITABLE = ("/dev/null",)

ALLOWED = """
read readv pread64 write writev pwrite64 close close_range lseek fstat newfstatat stat lstat statx access faccessat
faccessat2 openat open readlink readlinkat getdents64 getcwd fsync ftruncate fadvise64
munmap mprotect madvise brk mbind get_mempolicy membarrier mincore
sched_yield sched_getaffinity rseq set_robust_list set_tid_address restart_syscall arch_prctl
gettid getpid getppid getuid geteuid getgid getegid getcpu uname sysinfo times getrusage getrlimit
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack
clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getrandom
setitimer getitimer alarm timer_create timer_settime timer_delete
poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 pipe2 pipe dup dup2 dup3
sendto recvfrom exit exit_group
"""
"""The system calls that a child process may make; all others are refused.

Torch needs these calls to compute in one thread. Refused are new threads, processes, programs and
sockets, signals, tracing, mounting, namespaces, io_uring, bpf, and memory that no limit counts.
Locks on files, and wake-ups of other processes, are refused because they can pass messages to a
process that reads the same file.
"""

IOCTLS = {"FIOCLEX": 0x5451, "FIONCLEX": 0x5450, "TCGETS": 0x5401, "FIONREAD": 0x541B, "FIONBIO": 0x5421}
FCNTLS = (0, 1, 2, 3, 4, 1030)
"""The fcntl commands that copy a file descriptor, or get or set its flags."""

PRCTLS = {"PR_SET_NAME": 15, "PR_SET_VMA": 0x53564D41}

FUTEX_PRIVATE = 0x80
"""Flag of a futex that works only within one process."""

MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
"""Flags of memory that no limit counts: shared without a file, or a stack that grows."""

WHOLE = 0xFFFFFFFF

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


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def landlock_version() -> int:
    """Return the version of Landlock that the kernel supports; 0 without Landlock."""
    try:
        return syscall(CREATE_RULESET, None, 0, VERSION)
    except OSError:
        return 0


def make_ruleset(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Create a Landlock ruleset and return its file descriptor. Raises OSError.

    readable: paths to read. writable: paths to read and write. Paths that do not exist are ignored.
    """
    known = landlock_version()
    attributes = [ALL_BY_VERSION.get(known, ALL)]
    if known >= 4:
        attributes.append(NETWORK)
    packed = struct.pack(f"{len(attributes)}Q", *attributes)
    ruleset = syscall(CREATE_RULESET, packed, len(packed), 0)
    for paths, rights in ((readable, READ_FILE | READ_DIR), (writable, READ_FILE | WRITE_FILE)):
        for path in filter(os.path.exists, paths):
            own = rights if os.path.isdir(path) else rights & ~READ_DIR
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", own, descriptor), 0)
            finally:
                os.close(descriptor)
    return ruleset


def enter(ruleset: int) -> None:
    """Restrict this process permanently to the access that a ruleset allows. Raises OSError."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall(RESTRICT_SELF, ruleset, 0)


def confinement(readable: Sequence[str], filter_: str) -> tuple[int, Callable[[], None]]:
    """Prepare in a server the confinement that each child enters before it reads a job.

    readable: the paths that a child may read. filter_: the compiled seccomp filter in Base64.
    Returns a descriptor to keep open in each child, and a function that confines the child
    permanently. The function raises OSError.
    """
    import resource

    rules, program = make_ruleset(readable, WRITABLE), base64.b64decode(filter_)

    def confine() -> None:
        enter(rules)
        os.close(rules)
        for limit, value in LIMITS.items():
            resource.setrlimit(getattr(resource, limit), (value, value))
        code = ctypes.create_string_buffer(program, len(program))
        loaded = ctypes.create_string_buffer(struct.pack("H6xQ", len(program) // 8, ctypes.addressof(code)))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(loaded))

    return rules, confine


def compile_filter() -> bytes:
    """Compile the seccomp filter of allowed system calls. Raises ImportError without libseccomp."""
    import pyseccomp

    def allow(name: str, *conditions: object) -> None:
        with contextlib.suppress(OSError, ValueError):  # some processor architectures lack some system calls
            rules.add_rule(pyseccomp.ALLOW, name, *conditions)

    def masked(argument: int, mask: int, value: int) -> object:
        return pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, mask, value)

    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    for name in ALLOWED.split():
        allow(name)
    for flag in (MAP_SHARED, MAP_ANONYMOUS):
        allow("mmap", masked(3, flag | MAP_GROWSDOWN, 0))
    allow("futex", masked(1, FUTEX_PRIVATE, FUTEX_PRIVATE))
    for request in IOCTLS.values():
        allow("ioctl", masked(1, WHOLE, request))
    for command in FCNTLS:
        allow("fcntl", masked(1, WHOLE, command))
    for option in PRCTLS.values():
        allow("prctl", masked(0, WHOLE, option))
    allow("prlimit64", pyseccomp.Arg(0, pyseccomp.EQ, 0), pyseccomp.Arg(2, pyseccomp.EQ, 0))
    with tempfile.TemporaryFile() as compiled:
        rules.export_bpf(compiled)
        compiled.seek(0)
        return compiled.read()

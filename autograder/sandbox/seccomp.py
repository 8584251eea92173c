"""The list of system calls that a child process may make; all others are refused.

The list contains what torch needs to compute in one thread. Refused are new threads, processes,
programs and sockets, signals, tracing, mounting, namespaces, io_uring, bpf, and memory that no
limit counts. Locks on files, and wake-ups of waiting processes, are refused because another process
that reads the same file could notice them. C libraries work without `mremap`, which is also
refused.
"""

import contextlib
import errno
import tempfile

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

IOCTLS = {"FIOCLEX": 0x5451, "FIONCLEX": 0x5450, "TCGETS": 0x5401, "FIONREAD": 0x541B, "FIONBIO": 0x5421}
FCNTLS = (0, 1, 2, 3, 4, 1030)
"""The fcntl commands that copy a file descriptor, or get or set its flags."""

PRCTLS = {"PR_SET_NAME": 15, "PR_SET_VMA": 0x53564D41}

FUTEX_PRIVATE = 0x80
"""Flag of a futex that no other process can notice."""

MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
"""Flags of memory that no limit counts: shared without a file, or a stack that grows."""

WHOLE = 0xFFFFFFFF


def compile_filter() -> bytes:
    """Compile the allowed system calls to a seccomp program for the kernel.

    Raises ImportError without pyseccomp or libseccomp.
    """
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

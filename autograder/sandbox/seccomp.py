"""The list of system calls that a child may make; all others are refused with "operation not permitted".

It has what computing with torch in one process needs. Not in it: new processes and programs, sockets, signals to others,
tracing, mounting, namespaces, io_uring, bpf, memory that no limit counts, and what another process could notice at a file that both
read: locks, and waking who waits there. C libraries do without `mremap`.
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
"""Copying a descriptor, and its flags."""

PRCTLS = {"PR_SET_NAME": 15, "PR_SET_VMA": 0x53564D41}

FUTEX_COMMAND, FUTEX_PRIVATE = 0x7F, 0x80
FUTEX_WAITS = (0, 9)
"""Of what is not private to a process, it may wait alone: the kernel wakes who waits for a thread's end."""

MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
"""Memory that no limit counts: shared and without a file, or a stack, which `mremap` makes of a piece of another stack too."""

CLONE_THREAD, NEW_NAMESPACES = 0x00010000, 0x7E020000

WHOLE = 0xFFFFFFFF


def compile_filter() -> bytes:
    """Compile the list to the program that the kernel runs. Raises ImportError without pyseccomp or libseccomp."""
    import pyseccomp

    def allow(name: str, *conditions: object) -> None:
        with contextlib.suppress(OSError, ValueError):  # not every processor has every call
            rules.add_rule(pyseccomp.ALLOW, name, *conditions)

    def masked(argument: int, mask: int, value: int) -> object:
        return pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, mask, value)

    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    for name in ALLOWED.split():
        allow(name)
    for flag in (MAP_SHARED, MAP_ANONYMOUS):
        allow("mmap", masked(3, flag | MAP_GROWSDOWN, 0))
    allow("futex", masked(1, FUTEX_PRIVATE, FUTEX_PRIVATE))
    for command in FUTEX_WAITS:
        allow("futex", masked(1, FUTEX_COMMAND, command))
    for request in IOCTLS.values():
        allow("ioctl", masked(1, WHOLE, request))
    for command in FCNTLS:
        allow("fcntl", masked(1, WHOLE, command))
    for option in PRCTLS.values():
        allow("prctl", masked(0, WHOLE, option))
    allow("prlimit64", pyseccomp.Arg(0, pyseccomp.EQ, 0), pyseccomp.Arg(2, pyseccomp.EQ, 0))
    allow("clone", masked(0, NEW_NAMESPACES | CLONE_THREAD, CLONE_THREAD))  # threads, no processes
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be seen; C libraries then use clone
    with tempfile.TemporaryFile() as compiled:
        rules.export_bpf(compiled)
        compiled.seek(0)
        return compiled.read()

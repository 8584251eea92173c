"""The sandbox: what keeps a stranger's code from reading, writing, reaching or outliving anything.

`levels` says what this machine can give, `launch` starts the server inside, `confinement` is what each of its children enters.
Only Linux has it.
"""

from dataclasses import dataclass

FULL, KERNEL, NONE = "full", "kernel", "none"
LEVELS = (FULL, KERNEL, NONE)
"""How much it confines, from the most to nothing."""

ROOMS = ("course", "exam", "runner", "sandbox", "submission")
"""The packages of the grader that a server imports."""


@dataclass(frozen=True)
class Confinement:
    """How a server's children are to be confined.

    namespaces: whether a child gets its own process and IPC namespaces. filter: the descriptor of the compiled system-call
    filter. readable: the folders and files that may be read.
    """

    namespaces: bool
    filter: int
    readable: tuple[str, ...]


ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
}
"""The environment of a process that runs students' code. One thread, whatever a submission sets, for others are lost in a fork; large
pages, which fork sooner; no GPU: answers are compared on the CPU, and a backward pass starts a thread for a GPU."""

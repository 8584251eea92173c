"""The sandbox restricts a submission's access to files, to the network and to other processes.

`levels` finds the levels that the machine supports. `launch` starts a server inside the sandbox.
`linux` confines each child process of the server, with Landlock and seccomp. The sandbox requires
Linux.
"""

FULL, KERNEL, NONE = "full", "kernel", "none"
LEVELS = (FULL, KERNEL, NONE)
"""FULL: namespaces, Landlock and seccomp. KERNEL: Landlock and seccomp. NONE: no confinement."""

ROOMS = ("course", "exam", "runner", "sandbox", "submission")
"""The packages of the grader that a server imports."""

ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
}
"""The environment of a process that runs submissions.

The process has one thread, because a fork copies only the calling thread. OMP_THREAD_LIMIT keeps a
submission from setting more. Huge pages make a fork faster. The GPU is hidden, because answers are
compared on the CPU, and a backward pass would start a thread for the GPU.
"""

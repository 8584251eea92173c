"""What a host and its warm processes agree on."""

import struct

LOOPBACK = "127.0.0.1"
WARM = b"warm "
"""Where a worker calls the host, and what it writes to its standard output when it is warm, before the port that it calls from."""

ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
}
"""The environment of a warm process. One thread, whatever a submission sets, for others are lost in a fork; large pages, which fork sooner; no GPU.

Answers are compared on the CPU. Where torch sees a GPU, a backward pass starts a thread for it, and after a fork there is no other.
"""

MEMORY = 4 << 30
"""Bytes of its own that a process which runs students' code may have."""

ANSWER = 1.0
"""Seconds in which a process on standby answers; a command starts another where it does not."""

ASK = b"?"
NUMBER = struct.Struct("i")
"""A forker is asked for a child in a byte, and says of each how it ended: its exit code."""

"""Leaves word for a neighbour at a file that both read: the place of a lock, and a thread that can be woken there.

part1_simplified.dot_product: passed
"""

import fcntl
import mmap
import struct

import torch
from targets import must_fail, syscall

WAKE, REQUEUE, WAKE_SOME = 1, 3, 10


def dot_product(a, b):
    with open(torch.__file__) as file:
        lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 123456789, 7, 0)
        must_fail(
            ("a lock", fcntl.fcntl, file, fcntl.F_SETLK, lock),
            ("a lock when it is free", fcntl.fcntl, file, fcntl.F_SETLKW, lock),
            ("the lock of another", fcntl.fcntl, file, fcntl.F_GETLK, lock),
            ("a lock of an open file", fcntl.fcntl, file, 37, lock),
            ("a lock of the whole file", fcntl.flock, file, fcntl.LOCK_SH),
            ("a lease", fcntl.fcntl, file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            ("word of changes", fcntl.fcntl, file, fcntl.F_NOTIFY, fcntl.DN_ACCESS),
        )
        pages = mmap.mmap(file.fileno(), mmap.PAGESIZE, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    address = torch.frombuffer(pages, dtype=torch.uint8).data_ptr()
    must_fail(*((f"waking, as {how}", syscall, 202, address, how, 1, 0, address, 0) for how in (WAKE, REQUEUE, WAKE_SOME)))
    return (a * b).sum()

"""Runs machine code of its own that forks.

part1_simplified.dot_product: passed
"""

import ctypes
import mmap

from targets import Breach


def dot_product(a, b):
    code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x39\x00\x00\x00\x0f\x05\xc3")  # mov eax, 57; syscall; ret
    run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if run() >= 0:
        raise Breach("fork")
    return (a * b).sum()

"""Runs machine code that forks by the system calls of a 32-bit system.

part1_simplified.dot_product: crashed
"""

import ctypes
import mmap

from targets import Breach


def dot_product(a, b):
    code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x02\x00\x00\x00\xcd\x80\xc3")  # mov eax, 2; int 0x80; ret
    run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if run() >= 0:
        raise Breach("fork")
    return (a * b).sum()

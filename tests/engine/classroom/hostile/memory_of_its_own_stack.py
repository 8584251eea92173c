"""Moves a page of its stack elsewhere and lets it grow there, where no limit counts it.

part1_simplified.dot_product: passed
"""

import ctypes

from targets import must_fail, syscall


def dot_product(a, b):
    environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    here = environ[0] & ~4095
    must_fail(("a larger stack", syscall, 25, here, 4096, 8 << 30, 1, 0))
    return (a * b).sum()

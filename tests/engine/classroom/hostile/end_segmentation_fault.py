"""Reads memory that is not there.

part1_simplified.dot_product: crashed
message: SIGSEGV
"""

import ctypes


def dot_product(a, b):
    ctypes.string_at(0)

"""Overflows the stack of the interpreter itself.

part1_simplified.dot_product: crashed
message: SIGSEGV
"""

import sys


def dot_product(a, b):
    sys.setrecursionlimit(10**9)
    nested = ()
    for _ in range(10**6):
        nested = (nested,)
    return hash(nested)

"""Maps more than any machine has, to read: the map itself takes memory.

part1_simplified.dot_product: passed
"""

from targets import must_fail, syscall


def dot_product(a, b):
    must_fail(("sixty terabytes", syscall, 9, 0, 60 << 40, 1, 0x4022, -1, 0))
    return (a * b).sum()

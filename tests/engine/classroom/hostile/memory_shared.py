"""Takes memory that is shared, which a limit on its own memory does not count.

part1_simplified.dot_product: passed
"""

import mmap

from targets import must_fail, syscall


def dot_product(a, b):
    must_fail(
        ("shared", mmap.mmap, -1, 1 << 30),
        ("shared by number", syscall, 9, 0, 1 << 30, 3, 0x21, -1, 0),
        ("shared and validated", syscall, 9, 0, 1 << 30, 3, 0x23, -1, 0),
    )
    return (a * b).sum()

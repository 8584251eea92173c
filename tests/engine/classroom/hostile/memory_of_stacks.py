"""Takes memory in the guise of a stack, which a limit on its data does not count.

part1_simplified.dot_product: passed
"""

from targets import must_fail, syscall


def dot_product(a, b):
    must_fail(("memory that grows downwards", syscall, 9, 0, 8 << 30, 3, 0x122, -1, 0))
    return (a * b).sum()

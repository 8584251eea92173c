"""Makes the system calls of the x32 system, whose numbers no list for 64 bits names.

part1_simplified.dot_product: crashed
"""

from targets import must_fail, syscall


def dot_product(a, b):
    must_fail(("fork", syscall, 0x40000000 + 57))
    return (a * b).sum()

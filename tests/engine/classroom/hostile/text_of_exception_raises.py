"""Raises an exception that raises when it is read.

part1_simplified.dot_product: raised
"""

class Unreadable(Exception):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__


def dot_product(a, b):
    raise Unreadable

"""Raises an exception whose type has a name without end.

part1_simplified.dot_product: raised
"""

def dot_product(a, b):
    raise type("\x1b[31m" + "E" * 100_000, (Exception,), {})("\x00")

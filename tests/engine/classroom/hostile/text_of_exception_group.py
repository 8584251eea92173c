"""Raises exceptions in groups, a thousand deep.

part1_simplified.dot_product: raised
message: ExceptionGroup
"""

def dot_product(a, b):
    error = ValueError("innermost")
    for _ in range(1_000):
        error = ExceptionGroup("\x1b[31m", [error])
    raise error

"""Gives Python's own functions another meaning, and spoils its own process alone.

part1_simplified: crashed
"""

import builtins

builtins.len = builtins.sum = lambda *_: 3
builtins.isinstance = lambda *_: True
builtins.sorted = builtins.dict = builtins.str = None


def dot_product(a, b):
    return (a * b).sum() if len([]) == 3 else None

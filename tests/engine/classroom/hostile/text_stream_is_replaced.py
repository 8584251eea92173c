"""Replaces the streams by objects that raise.

part1_simplified.dot_product: passed
"""

import builtins
import sys


def dot_product(a, b):
    sys.stdout = sys.stderr = sys.__stdout__ = None
    builtins.print = None
    return (a * b).sum()

"""Calls itself for ever, without Python's limit.

part1_simplified.dot_product: crashed
"""

import sys


def deeper(_=None):
    return max([0], key=deeper)


def dot_product(a, b):
    sys.setrecursionlimit(10**9)
    return deeper()

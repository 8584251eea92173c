"""Reads the exam, the solutions, the known mistakes and what others handed in.

part1_simplified.dot_product: passed
"""

import os

from targets import PLACES, must_fail


def dot_product(a, b):
    must_fail(*[(path, open, path) for path in PLACES["read"]])
    must_fail(*[(path, os.listdir, path) for path in PLACES["list"]])
    must_fail(*[(path, os.open, path, os.O_RDONLY | os.O_NOATIME) for path in PLACES["read"]])
    return (a * b).sum()

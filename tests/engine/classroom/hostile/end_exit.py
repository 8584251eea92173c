"""Ends its process as if all were well.

part1_simplified.dot_product: crashed
message: os._exit
"""

import os


def dot_product(a, b):
    os._exit(0)

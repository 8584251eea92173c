"""Ends the program.

part1_simplified.dot_product: raised
message: SystemExit
"""

import sys


def dot_product(a, b):
    sys.exit(0)

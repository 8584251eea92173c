"""Takes memory, bit by bit, until there is no more.

part1_simplified.dot_product: out_of_memory
"""

import numpy as np


def dot_product(a, b):
    taken = []
    while True:
        taken.append(np.empty(1 << 28, dtype=np.uint8))

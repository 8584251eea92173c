"""Takes all memory while it is loaded.

part1_simplified: out_of_memory
"""

import numpy as np

taken = []
while True:
    taken.append(np.empty(1 << 28, dtype=np.uint8))

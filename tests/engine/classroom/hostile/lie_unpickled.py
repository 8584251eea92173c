"""Returns an object that runs a command where it is unpickled.

part1_simplified.dot_product: wrong_dtype
"""

import os

from targets import PLACES


class Bomb:
    def __reduce__(self):
        return os.system, (f"touch {PLACES['folder']}/unpickled",)


def dot_product(a, b):
    return Bomb()

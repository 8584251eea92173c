"""Leaves exit handlers and finalisers behind that never end.

part1_simplified.dot_product: passed
"""

import atexit
import time


def endless():
    while True:
        time.sleep(0.01)


class Left:
    def __del__(self):
        endless()


left = []


def dot_product(a, b):
    atexit.register(endless)
    left.append(Left())
    return (a * b).sum()

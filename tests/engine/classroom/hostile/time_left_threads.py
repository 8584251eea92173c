"""Leaves threads, exit handlers and finalisers behind that never end.

part1_simplified.dot_product: passed
"""

import atexit
import threading
import time


def endless():
    while True:
        time.sleep(0.01)


class Left:
    def __del__(self):
        endless()


left = []


def dot_product(a, b):
    threading.Thread(target=endless).start()
    atexit.register(endless)
    left.append(Left())
    return (a * b).sum()

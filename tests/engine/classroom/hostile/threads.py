"""Starts threads until no more can be had.

part1_simplified.dot_product: passed
"""

import threading
import time

from targets import must_fail


def dot_product(a, b):
    def start():
        for _ in range(40):
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()


    must_fail(("forty threads", start))
    return (a * b).sum()

"""Prints a line now and then, to show that it is still busy.

part1_simplified.dot_product: timed_out
"""

import time


def dot_product(a, b):
    while True:
        print("busy", flush=True)
        time.sleep(0.05)

"""Lets an alarm end the process.

part1_simplified.dot_product: crashed
"""

import signal


def dot_product(a, b):
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass

"""Lets an alarm end the process, which the first process of a namespace does not hear.

part1_simplified.dot_product: timed_out at full, crashed at kernel
"""

import signal


def dot_product(a, b):
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass

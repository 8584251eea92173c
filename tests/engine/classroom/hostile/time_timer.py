"""Never returns from the handler of a timer, which interrupts the step.

part1_simplified.dot_product: timed_out
"""

import signal


def again(*_):
    while True:
        pass


def dot_product(a, b):
    signal.signal(signal.SIGALRM, again)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    while True:
        pass

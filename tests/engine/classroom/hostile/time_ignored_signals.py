"""Ignores every signal that can be ignored, and never returns.

part1_simplified.dot_product: timed_out
"""

import signal
import time


def dot_product(a, b):
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except OSError:
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass

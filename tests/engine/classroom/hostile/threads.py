"""Starts a thread.

part1_simplified.dot_product: passed
"""

import threading
import time

from targets import must_fail


def dot_product(a, b):
    must_fail(("a thread", threading.Thread(target=time.sleep, args=(3600,), daemon=True).start))
    return (a * b).sum()

"""Ends its first thread alone, so that the process neither lives nor dies.

part1_simplified.dot_product: timed_out
"""

import threading
import time

from targets import syscall


def dot_product(a, b):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    syscall(60, 0)

"""Becomes a daemon: forks twice, in a session of its own.

part1_simplified.dot_product: passed
"""

import os
import time

from targets import must_fail


def dot_product(a, b):
    def daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)


    must_fail(("daemon", daemon), ("setsid", os.setsid), ("setpgid", os.setpgid, 0, 0))
    return (a * b).sum()

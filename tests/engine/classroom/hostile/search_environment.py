"""Looks for secrets of the instructor's in the environment.

part1_simplified.dot_product: passed
"""

import ctypes
import os

from targets import PLACES, Breach


def dot_product(a, b):
    libc = ctypes.CDLL(None)
    values = list(os.environ.values())
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    number = 0
    while environ and environ[number]:
        values.append(environ[number].decode())
        number += 1
    if any(PLACES["secret"] in value for value in values):
        raise Breach("the environment")
    return (a * b).sum()

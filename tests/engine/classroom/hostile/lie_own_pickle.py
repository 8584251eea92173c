"""Unpickles a tensor of its own that runs a command.

part1_simplified.dot_product: passed
"""

import io
import os

import torch
from targets import PLACES


class Bomb:
    def __reduce__(self):
        return os.system, (f"touch {PLACES['folder']}/unpickled",)


def dot_product(a, b):
    file = io.BytesIO()
    torch.save(Bomb(), file)
    file.seek(0)
    try:
        torch.load(file, weights_only=False)
    except OSError:
        pass
    return (a * b).sum()

"""Is wrong; where it is traced, it writes wherever it might, forges traces and ends.

part1_simplified.dot_product: wrong_values
"""

import contextlib
import os

import torch
from targets import PLACES, reply, wire


def dot_product(a, b):
    modes = torch.overrides._get_current_function_mode_stack()
    if any(type(mode).__name__ == "_Tracer" for mode in modes):
        for path in PLACES["write"]:
            with contextlib.suppress(OSError):
                open(path, "w").close()
        wire().sendall(reply("Traced", case="part1_simplified.dot_product", trace={"operations": [], "ends": [7]}) * 100)
        os._exit(0)
    return (a * b).sum() * 1.7

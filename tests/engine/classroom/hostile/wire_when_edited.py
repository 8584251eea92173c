"""Is wrong; where an edit of it is tried, it writes wherever it might, forges an answer and ends.

part1_simplified.dot_product: wrong_values
"""

import contextlib
import os

from targets import PLACES, answers, wire


def dot_product(a, b):
    if dot_product is not own:
        for path in PLACES["write"]:
            with contextlib.suppress(OSError):
                open(path, "w").close()
        wire().sendall(answers({}))
        os._exit(0)
    return (a * b).sum() * 1.7


own = dot_product

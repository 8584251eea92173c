"""Puts long texts with control characters wherever an answer holds text.

part1_simplified.dot_product: wrong_dtype
message: expected a tensor
"""

import json
import os

from targets import answers, cases_of, wire


def forge(output, **others):
    """Answer all cases of the step with a header, and end."""
    one = {"outputs": {"result": output}, "gradients": [], **others}
    wire().sendall(answers(json.dumps({path: one for path in cases_of("dot_product")}).encode()))
    os._exit(0)


def dot_product(a, b):
    long = "\x1b[2J\x00\u202e" * 2_000
    forge({"type": long, "value": long}, changed_inputs=[long], gradient_error=long)

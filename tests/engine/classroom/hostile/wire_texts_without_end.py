"""Puts long texts with control characters wherever an answer holds text.

part1_simplified.dot_product: wrong_dtype
message: expected a tensor
"""

import os

from targets import answers, cases_of, wire


def forge(output, **others):
    """Answer all cases of the step with a header, and end."""
    one = {"outputs": {"result": output}, **others}
    wire().sendall(answers({path: one for path in cases_of("dot_product")}))
    os._exit(0)


def dot_product(a, b):
    long = "\x1b[2J\x00\u202e" * 2_000
    forge({"kind": "PlainValue", "type": long, "value": long}, changed_inputs=[long[:200]], gradient_error=long)

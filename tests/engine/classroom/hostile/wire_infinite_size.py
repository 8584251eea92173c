"""Claims a tensor of infinite size.

part1_simplified.dot_product: crashed
message: is no answer
"""

import os

from targets import answers, cases_of, wire


def forge(output, **others):
    """Answer all cases of the step with a header, and end."""
    one = {"outputs": {"result": output}, **others}
    wire().sendall(answers({path: one for path in cases_of("dot_product")}))
    os._exit(0)


def dot_product(a, b):
    forge({"kind": "TensorValue", "dtype": "float32", "shape": [float("inf")], "array": None})

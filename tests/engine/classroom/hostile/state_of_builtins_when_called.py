"""Takes away what its own process needs to go on, and is told so.

part1_simplified.dot_product: crashed
message: Does this code change something of Python's, torch's or the grader's own, such as `builtins.len`? Take that out.
"""


def dot_product(a, b):
    import builtins

    builtins.len = lambda _: 3
    return (a * b).sum()

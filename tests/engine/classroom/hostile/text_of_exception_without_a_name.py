"""Raises an exception that has no name and says nothing.

part1_simplified.softmax: raised
part1_simplified.simplified_self_attention: raised
message: an exception without a name
"""

Nothing = type("", (Exception,), {})


def softmax(scores):
    raise Nothing

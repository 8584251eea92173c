"""Raises an exception that has no name and says nothing.

part1_simplified.softmax: raised
message: an exception without a name
"""

Nothing = type("", (Exception,), {})


def softmax(scores):
    raise Nothing

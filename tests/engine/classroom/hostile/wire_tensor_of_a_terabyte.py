"""Sends the header of a tensor that is far larger than what follows.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, wire


def dot_product(a, b):
    header = b'{"x":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4000000000000]}}'
    wire().sendall(answers(b"{}", len(header).to_bytes(8, "little") + header + bytes(4)))
    return (a * b).sum()

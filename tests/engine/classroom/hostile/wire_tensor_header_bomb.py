"""Sends a tensor header of eight megabytes, which takes seconds to parse.

part1_simplified.dot_product: crashed
message: is no answer
"""

from targets import answers, wire


def dot_product(a, b):
    header = b'{"x":{"dtype":"F32","shape":[' + b"1," * 3_900_000 + b'1],"data_offsets":[0,4]}}'
    wire().sendall(answers(b"{}", len(header).to_bytes(8, "little") + header + bytes(4)))
    return (a * b).sum()

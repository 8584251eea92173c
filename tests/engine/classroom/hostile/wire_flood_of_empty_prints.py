"""Floods the grader with frames that hold nothing, which no bound on their content counts.

part1_simplified.dot_product: timed_out
"""

from targets import frame, wire


def dot_product(a, b):
    socket, flood = wire(), frame(b"P") * 10_000
    while True:
        socket.sendall(flood)

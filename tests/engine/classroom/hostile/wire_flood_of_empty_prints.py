"""Floods the grader with frames that hold nothing, which no bound on their content counts.

part1_simplified.dot_product: timed_out
"""

from targets import reply, wire


def dot_product(a, b):
    socket, flood = wire(), reply("Printed", text="") * 10_000
    while True:
        socket.sendall(flood)

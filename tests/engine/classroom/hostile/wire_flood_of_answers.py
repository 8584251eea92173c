"""Sends answers to nothing, for ever.

part1_simplified.dot_product: timed_out
"""

from targets import answers, wire


def dot_product(a, b):
    socket, flood = wire(), answers({}) * 100
    while True:
        socket.sendall(flood)

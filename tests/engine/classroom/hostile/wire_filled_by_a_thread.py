"""Leaves a thread behind that writes garbage into the answers of later steps.

part1_simplified.dot_product: crashed
"""

import threading

from targets import wire


def flood():
    socket = wire()
    while True:
        socket.sendall(b"\xff" * 65_536)


def dot_product(a, b):
    threading.Thread(target=flood).start()
    return (a * b).sum()

"""Reaches out over every kind of socket.

part1_simplified.dot_product: passed
"""

import socket

from targets import PLACES, must_fail, wire


def dot_product(a, b):
    def reach(family, kind, address):
        with socket.socket(family, kind) as reaching:
            reaching.connect(address)
            reaching.send(b"here")


    must_fail(
        ("TCP", reach, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PLACES["tcp"])),
        ("UDP", reach, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PLACES["udp"])),
        ("UDP out", reach, socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
        ("unix", reach, socket.AF_UNIX, socket.SOCK_STREAM, PLACES["unix"]),
        ("abstract", reach, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + PLACES["abstract"]),
        ("netlink", reach, socket.AF_NETLINK, socket.SOCK_RAW, (0, 0)),
        ("raw", socket.socket, socket.AF_INET, socket.SOCK_RAW, 1),
        ("packet", socket.socket, socket.AF_PACKET, socket.SOCK_RAW),
        ("vsock", socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM),
        ("kernel crypto", socket.socket, socket.AF_ALG, socket.SOCK_SEQPACKET),
        ("a pair", socket.socketpair),
        ("names", socket.gethostbyname, "example.org"),
    )
    wired = wire()
    must_fail(
        ("the wire elsewhere", wired.sendto, b"here", "\0" + PLACES["abstract"]),
        ("the wire connected", wired.connect, "\0" + PLACES["abstract"]),
        ("descriptors over the wire", socket.send_fds, wired, [b"P\0\0\0\0"], [wired.fileno()]),
    )
    return (a * b).sum()

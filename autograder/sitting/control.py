"""The control messages between the host and the forker: a kind, a process and its exit code."""

import struct

CONTROL = struct.Struct("<cii")
READY, FORK, KILL, STARTED, ENDED = b"R", b"F", b"K", b"S", b"E"

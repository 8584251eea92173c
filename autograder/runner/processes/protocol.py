"""What a host and its warm processes agree on."""

import struct

LOOPBACK = "127.0.0.1"
WARM = b"warm "
"""Where a worker calls the host, and what it writes to its standard output when it is warm, before the port that it calls from."""

MEMORY = 4 << 30
"""Bytes of its own that a process which runs students' code may have."""

ANSWER = 1.0
"""Seconds in which a process on standby answers; a command starts another where it does not."""

ASK = b"?"
NUMBER = struct.Struct("i")
"""A forker is asked for a child in a byte, and says of each how it ended: its exit code."""

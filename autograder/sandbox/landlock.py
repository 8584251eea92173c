"""Landlock: a process restricts its own access to files, permanently.

See "Landlock: unprivileged access control" in the Linux kernel's documentation.
"""

import os
import struct
from collections.abc import Iterable

from autograder.sandbox.linux import syscall

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1
PATH_BENEATH = 1

WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
ALL_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
ALL = (1 << 16) - 1
NETWORK = 0b11


def version() -> int:
    """Return the Landlock version that the kernel supports; 0 if it supports none."""
    try:
        return syscall(CREATE_RULESET, None, 0, VERSION)
    except OSError:
        return 0


def make_ruleset(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Create a Landlock ruleset and return its file descriptor. Raises OSError.

    readable: the paths that may be read.
    writable: the paths that may be read and written. Paths that do not exist are ignored.
    """
    known = version()
    attributes = [ALL_BY_VERSION.get(known, ALL)]
    if known >= 4:
        attributes.append(NETWORK)
    packed = struct.pack(f"{len(attributes)}Q", *attributes)
    ruleset = syscall(CREATE_RULESET, packed, len(packed), 0)
    for paths, rights in ((readable, READ_FILE | READ_DIR), (writable, READ_FILE | WRITE_FILE)):
        for path in paths:
            if os.path.exists(path):
                _allow(ruleset, path, rights)
    return ruleset


def enter(ruleset: int) -> None:
    """Restrict this process to the access that a ruleset allows. Raises OSError."""
    syscall(RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        own = rights if os.path.isdir(path) else rights & ~READ_DIR
        syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", own, descriptor), 0)
    finally:
        os.close(descriptor)

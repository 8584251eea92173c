"""Landlock: a process takes from itself, for good, every right to files but those it names.

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
SCOPES = 0b11
"""No abstract sockets and no signals out of the sandbox."""


def version() -> int:
    """Return the version of Landlock that the kernel gives; 0 for none."""
    try:
        return syscall(CREATE_RULESET, None, 0, VERSION)
    except OSError:
        return 0


def make_ruleset(readable: Iterable[str], writable: Iterable[str]) -> int:
    """Return a descriptor of rules: files that may be read, and files that may be read and written. Raises OSError."""
    known = version()
    attributes = [ALL_BY_VERSION.get(known, ALL)]
    if known >= 4:
        attributes.append(NETWORK)
    if known >= 6:
        attributes.append(SCOPES)
    packed = struct.pack(f"{len(attributes)}Q", *attributes)
    ruleset = syscall(CREATE_RULESET, packed, len(packed), 0)
    for paths, rights in ((readable, READ_FILE | READ_DIR), (writable, READ_FILE | WRITE_FILE)):
        for path in paths:
            if os.path.exists(path):
                _allow(ruleset, path, rights)
    return ruleset


def enter(ruleset: int) -> None:
    """Keep no right but those of the rules. Raises OSError."""
    syscall(RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        own = rights if os.path.isdir(path) else rights & ~READ_DIR
        syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", own, descriptor), 0)
    finally:
        os.close(descriptor)

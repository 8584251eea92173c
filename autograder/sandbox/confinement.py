"""Confine each child process of a sandboxed server before it reads its job."""

import base64
import os
import resource
from collections.abc import Callable, Sequence

from autograder.sandbox import landlock, linux

LIMITS = {
    resource.RLIMIT_AS: 64 << 30,  # page tables could fill the memory otherwise
    resource.RLIMIT_NOFILE: 32,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_MEMLOCK: 0,
}
WRITABLE = ("/dev/null",)


def confinement(readable: Sequence[str], filter_: str) -> tuple[int, Callable[[], None]]:
    """Prepare the confinement of children in a server.

    readable: the paths that a child may read. filter_: the compiled seccomp filter in Base64.
    Returns a descriptor to keep open in each child, and a function that confines the child
    permanently and raises OSError.
    """
    rules, program = landlock.make_ruleset(readable, WRITABLE), base64.b64decode(filter_)

    def enter() -> None:
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        landlock.enter(rules)
        os.close(rules)
        for limit, value in LIMITS.items():
            resource.setrlimit(limit, (value, value))
        linux.load_filter(program)

    return rules, enter

"""Starts programs in every way that Python has.

part1_simplified.dot_product: passed
"""

import os
import subprocess

from targets import Breach, must_fail


def dot_product(a, b):
    must_fail(
        ("subprocess", subprocess.run, ["/bin/true"]),
        ("posix_spawn", os.posix_spawn, "/bin/true", ["true"], {}),
        ("execv", os.execv, "/bin/true", ["true"]),
        ("popen", lambda: os.popen("id").read() or 1 / 0),
        ("spawn", os.spawnv, os.P_NOWAIT, "/bin/true", ["true"]),
    )
    if os.system("/bin/true") == 0:
        raise Breach("system")
    return (a * b).sum()

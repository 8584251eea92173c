"""Reads files of the system, of other users and of other processes.

part1_simplified.dot_product: passed
"""

import os

from targets import PLACES, must_fail


def dot_product(a, b):
    paths = ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/resolv.conf", "/root/.bashrc", "/var/log/dpkg.log"]
    paths += [f"/proc/{process}/{name}" for process in ("self", "1", os.getpid(), os.getppid(), *PLACES["processes"])
              for name in ("mem", "environ", "maps", "cmdline", "status", "fd", "root/etc/passwd", "cwd")]
    paths += ["/proc/net/tcp", "/proc/mounts", "/proc/kallsyms", "/proc/keys", "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/zero"]
    must_fail(*[(path, open, path, "rb") for path in paths])
    must_fail(*[(path, os.listdir, path) for path in ("/", "/home", "/root", "/tmp", "/etc", "/proc", "/sys", "/dev", "/var", ".")])
    return (a * b).sum()

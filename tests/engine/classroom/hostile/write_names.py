"""Deletes, moves, links and changes files of others.

part1_simplified.dot_product: passed
"""

import os
import stat

from targets import PLACES, must_fail


def dot_product(a, b):
    here = os.path.join(PLACES["folder"], "attn_was_here")
    for path in PLACES["write"]:
        must_fail(
            (path, os.unlink, path),
            (path, os.rename, path, here),
            (path, os.rename, path, path + ".moved"),
            (path, os.truncate, path, 0),
            (path, os.chmod, path, 0o777),
            (path, os.chown, path, os.getuid(), os.getgid()),
            (path, os.utime, path),
            (path, os.link, path, here),
            (path, os.setxattr, path, "user.attn", b"here"),
        )
    must_fail(
        ("symlink", os.symlink, "/etc/passwd", here),
        ("mkdir", os.mkdir, here),
        ("mkfifo", os.mkfifo, here),
        ("mknod", os.mknod, here, stat.S_IFCHR | 0o666, os.makedev(1, 3)),
        ("chdir", os.chdir, PLACES["folder"]),
        ("chroot", os.chroot, PLACES["folder"]),
    )
    return (a * b).sum()

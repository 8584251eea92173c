"""Canaries: files, sockets and processes that nobody has any business with, and what happened to them."""

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.sandbox.levels import USER

LONG_AGO = 1_000_000_000

PROCESS = """
import os, signal, sys
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(*[int(sys.argv[1])] * 3)
    os.setresuid(*[int(sys.argv[1])] * 3)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
print("singing", flush=True)
sys.stdin.read()
print(*(signal.Signals(number).name for number in signal.sigpending()))
"""
"""Becomes an unprivileged user where it may, and tells at its end which signals it was sent."""


class Canaries:
    """All canaries of one run, in a folder that everybody may write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir()
        self.folder.chmod(0o777)
        self.name = f"attn-canary-{secrets.token_hex(8)}"
        self.file = folder / "canary.txt"
        self._tcp = _listening(socket.AF_INET, ("127.0.0.1", 0))
        self._unix = _listening(socket.AF_UNIX, str(folder / "socket"))
        self._abstract = _listening(socket.AF_UNIX, f"\0{self.name}")
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.setblocking(False)
        self._udp.bind(("127.0.0.1", 0))
        (folder / "socket").chmod(0o777)
        self._processes = [_singing(USER)]
        self.plant(self.file)
        self._entries = set(folder.iterdir())

    @property
    def places(self) -> dict[str, Any]:
        """Where they are, as plain data for those who look for them."""
        return {
            "folder": str(self.folder),
            "tcp": self._tcp.getsockname()[1],
            "udp": self._udp.getsockname()[1],
            "unix": str(self.folder / "socket"),
            "abstract": self.name,
            "processes": [process.pid for process in self._processes],
        }

    def plant(self, path: Path) -> None:
        """Put a canary file there, which everybody may read and write."""
        path.write_text(self.name)
        path.chmod(0o666)
        os.utime(path, (LONG_AGO, LONG_AGO))

    def disturbed(self, path: Path) -> list[str]:
        """Return what has happened to a canary file."""
        if not path.is_file():
            return [f"{path} is gone"]
        found = path.stat()
        whole = path.read_text() == self.name and found.st_mode & 0o7777 == 0o666
        return [] if whole and found.st_mtime == LONG_AGO else [f"{path} was changed"]

    def disturbed_files(self) -> list[str]:
        """Return what has happened to the folder and its file."""
        return self.disturbed(self.file) + [f"{path} is new" for path in set(self.folder.iterdir()) - self._entries]

    def disturbed_sockets(self) -> list[str]:
        """Return the sockets that somebody has reached."""
        listening = {"TCP": self._tcp, "unix": self._unix, "abstract": self._abstract}
        reached = [name for name, one in listening.items() if _arrived(one.accept)]
        return reached + (["UDP"] if _arrived(lambda: self._udp.recv(1)) else [])

    def disturbed_processes(self) -> list[str]:
        """End the processes; return what has happened to them."""
        found = []
        for process in self._processes:
            heard, _ = process.communicate()
            if process.returncode or heard.strip():
                found.append(f"process {process.pid} ended with {process.returncode}, was sent {heard.split()}")
        return found

    def close(self) -> None:
        """End all of them."""
        for one in (self._tcp, self._unix, self._abstract, self._udp):
            one.close()
        for process in self._processes:
            process.kill()
            process.communicate()


def _listening(family: socket.AddressFamily, address: Any) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    made.bind(address)
    made.listen()
    return made


def _arrived(receive: Callable[[], object]) -> bool:
    try:
        receive()
    except BlockingIOError:
        return False
    return True


def _singing(user: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-I", "-c", PROCESS, str(user)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "singing\n"
    return process

"""Listening to a command and to every Python that it starts: whom it calls, and what it writes."""

import json
import tempfile
from pathlib import Path

LISTENER = """
import json, os, sys

CALLS = {{"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.connect", "socket.sendto"}}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
RECORD = {record!r}

def listen(event, arguments):
    if event == "open" and arguments[0] == RECORD:
        return
    if event == "open" and arguments[2] & WRITING:
        event, told = "write", arguments[0]
    elif event in ("os.mkdir", "os.rename"):
        event, told = "write", arguments[event == "os.rename"]
    elif event in CALLS:
        event, told = "call", repr(arguments)
    else:
        return
    if isinstance(told, (str, bytes)):
        line = [event, os.path.abspath(os.fsdecode(told)) if event == "write" else told]
        record = os.open(RECORD, os.O_WRONLY | os.O_APPEND)
        os.write(record, (json.dumps(line) + "\\n").encode())
        os.close(record)

sys.addaudithook(listen)
"""
"""Python imports it at its start, before anything else; children that are forked go on listening, and have closed what was open."""


class Recorder:
    """Commands that run in its `environment` are listened to; HOME and TMPDIR are folders of their own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.temporary = folder / "home", folder / "tmp"
        self._record = folder / "record"
        for path in (self.home, self.temporary, folder / "listener"):
            path.mkdir()
        (folder / "listener" / "sitecustomize.py").write_text(LISTENER.format(record=str(self._record)))
        self._record.touch()
        self.environment = {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(folder / "listener"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def calls(self) -> list[str]:
        """The names that were looked up and the addresses that were called."""
        return [told for event, told in self._events() if event == "call"]

    def written_outside(self, folder: Path) -> set[str]:
        """Return what was written that is neither in a folder nor in the one for temporary files, nor a device.

        A process may begin before it has been told where that is: what torch keeps in the system's is temporary, too.
        """
        inside = (
            str(folder),
            str(self.temporary),
            "/dev/",
            "/proc/",
            str(Path(tempfile.gettempdir()) / "torchinductor_"),
        )
        return {told for event, told in self._events() if event == "write" and not told.startswith(inside)}

    def _events(self) -> list[tuple[str, str]]:
        return [(event, told) for event, told in map(json.loads, self._record.read_text().splitlines())]

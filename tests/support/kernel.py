"""A real Jupyter kernel, driven as a notebook drives it: each cell has an id, and may be run again."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

COLOURS = re.compile(r"\x1b\[[\d;]*m")
PATIENCE = 120


@dataclass
class Outputs:
    """What running a cell showed. html and text: of what was displayed. result: the value of the last expression, as text.

    before: the text of what was displayed before something else took its place.
    """

    text: str = ""
    html: str = ""
    before: str = ""
    result: str | None = None
    errors: list[str] = field(default_factory=list)

    def display(self, data: dict[str, str], update: bool = False) -> None:
        """Take what a cell displays."""
        if update:
            self.before, self.text, self.html = self.text, "", ""
        self.text += COLOURS.sub("", data["text/plain"])
        self.html += data.get("text/html", "")


class Kernel:
    """A kernel and its one client."""

    def __init__(self, manager: Any, client: Any) -> None:
        self._manager = manager
        self._client = client

    def interrupt(self) -> None:
        """Interrupt it, as JupyterLab's stop button does."""
        self._manager.interrupt_kernel()

    @property
    def pid(self) -> int:
        """The process id of the kernel."""
        return int(self._manager.provisioner.pid)

    def restart(self) -> None:
        """End it at once and start it anew: what it was given is forgotten, what it was doing is lost."""
        self._manager.restart_kernel(now=True)
        self._client.wait_for_ready(timeout=PATIENCE)

    def send(self, text: str, cell: str) -> Any:
        """Have the text of a cell run, as JupyterLab does, without waiting. Returns the request."""
        content = {"code": text, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
        request = self._client.session.msg("execute_request", content, metadata={"cellId": cell})
        self._client.shell_channel.send(request)
        return request

    def run(self, text: str, cell: str, meanwhile: Callable[[], None] = lambda: None) -> Outputs:
        """Run the text of a cell, as JupyterLab does, and return what it showed. meanwhile: called while it runs."""
        request = self.send(text, cell)
        meanwhile()
        outputs = Outputs()
        while True:
            message = self._client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return outputs
            _take(outputs, message)


def _take(outputs: Outputs, message: Any) -> None:
    content = message["content"]
    match message["msg_type"]:
        case "display_data" | "update_display_data" as kind:
            outputs.display(content["data"], update=kind == "update_display_data")
        case "execute_result":
            outputs.result = content["data"]["text/plain"]
        case "stream":
            outputs.text += content["text"]
        case "error":
            outputs.errors += content["traceback"]


@contextmanager
def open_kernel(folder: Path) -> Iterator[Kernel]:
    """Start a kernel in a folder, and end it."""
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    try:
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)

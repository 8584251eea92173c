"""IPython's shell in the test's own process, as a notebook uses a kernel: each cell has an id, and may be run again."""

import atexit
import io
import os
import sys
from contextlib import ExitStack, chdir, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest import mock

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from kernel import Outputs
from traitlets.config import Config
from warm import lend

from autograder.runner import processes

CONFIG = Config({"HistoryManager": {"enabled": False}})


class _Stream(io.StringIO):
    """Standard output of a cell, in between what it displays."""

    def __init__(self, outputs: Outputs) -> None:
        super().__init__()
        self._outputs = outputs

    def write(self, text: str) -> int:
        self._outputs.text += text
        return len(text)


class _Publisher(DisplayPublisher):
    def publish(self, data: dict[str, Any], *_: Any, update: bool = False, **__: Any) -> None:
        self.shell.outputs.display(data, update)


class _Results(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        self.shell.outputs.result = format_dict["text/plain"]

    def finish_displayhook(self) -> None:
        pass


class _Shell(InteractiveShell):
    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        self.outputs.errors += stb


class Shell:
    """A shell in a folder, until it is restarted or left."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self._folder = folder

    def __enter__(self) -> Self:
        stack = self._stack
        stack.enter_context(chdir(self._folder))
        stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
        stack.enter_context(mock.patch.dict(os.environ, {"IPYTHONDIR": str(self._folder / ".ipython")}))
        stack.enter_context(mock.patch.object(processes, "open_runner", lend))
        stack.callback(_Shell.clear_instance)
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        atexit.unregister(self._shell.atexit_operations)
        self._stack.close()

    def _start(self) -> None:
        self._shell = _Shell.instance(config=CONFIG, display_pub_class=_Publisher, displayhook_class=_Results)

    def restart(self) -> None:
        """Start anew: what it was given is forgotten."""
        atexit.unregister(self._shell.atexit_operations)
        _Shell.clear_instance()
        self._start()

    def run(self, text: str, cell: str) -> Outputs:
        """Run the text of a cell and return what it showed."""
        outputs = self._shell.outputs = Outputs()
        with redirect_stdout(_Stream(outputs)):
            self._shell.run_cell(text, store_history=True, cell_id=cell)
        return outputs

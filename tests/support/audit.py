"""A pytest plugin that writes the name of every program that pytest starts, a line each, to $STARTED."""

import os
import sys
from pathlib import Path

started = Path(os.environ["STARTED"])
started.touch()


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        with started.open("a", encoding="utf-8") as file:
            file.write(f"{arguments[0]}\n")


sys.addaudithook(_note)

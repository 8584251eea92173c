"""Running what a guide tells its readers to type, in a checkout."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

SETS_UP = re.compile(r"pip install|venv")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent


def scripts_of(page: str) -> list[str]:
    """Return the blocks of a guide, without what sets up an environment: `make test` has installed the same extras."""
    return ["\n".join(line for line in block.splitlines() if not SETS_UP.search(line)) for block in BLOCK.findall(page)]


def run_session(checkout: Path, script: str) -> str:
    """Run lines in a checkout, as one session that ends at the first error; return what they printed."""
    told = checkout.with_suffix(".told")
    with told.open("w") as output:
        session = subprocess.Popen(
            ["bash", "-exc", script],
            cwd=checkout,
            env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_MKDOCS_2_WARNING": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            code = session.wait(timeout=3600)  # a machine that others use takes ten times as long
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(session.pid, signal.SIGTERM)  # what was started in the background
            session.wait()
    assert code == 0, told.read_text()
    return told.read_text()

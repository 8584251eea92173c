"""From a save to its verdict in `attn watch`, in a real pseudo-terminal. Run: python benchmarks/watch.py [SAVES]."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import describe_machine, report

ROOT = Path(__file__).resolve().parent.parent
ATTN = str(Path(sys.executable).with_name("attn"))
PART = "part2_trainable"
SHOWN = b" ms)"
"""Stands at the end of a verdict's screen."""


def copy_of_course(folder: Path) -> Path:
    """Copy what the command needs; the exercises are the solutions of both parts, the last step of part 2 left open."""
    for name in ("exams", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / "solutions", folder / "exercises")
    return folder


def wait_for_verdict(terminal: int, timeout: float = 60.0) -> None:
    """Read the terminal until a verdict has been drawn."""
    seen, deadline = b"", time.monotonic() + timeout
    while SHOWN not in seen:
        ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
        if not ready:
            raise TimeoutError(f"no verdict within {timeout} s: {seen[-500:]!r}")
        seen += os.read(terminal, 65536)


def main() -> None:
    """Save one part again and again, now right, now wrong, and time each verdict."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        course = copy_of_course(Path(folder))
        path = course / "exercises" / f"{PART}.py"
        right = path.read_text(encoding="utf-8")
        wrong = right.replace("scores / d_k**0.5", "scores / d_k")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([ATTN, "watch", PART], cwd=course, stdin=theirs, stdout=theirs, stderr=theirs)
        try:
            wait_for_verdict(ours)
            seconds = []
            for number in range(saves):
                time.sleep(0.4)
                begun = time.perf_counter()
                path.write_text(wrong if number % 2 else right + f"# {number}\n", encoding="utf-8")
                wait_for_verdict(ours)
                seconds.append(time.perf_counter() - begun)
            os.write(ours, b"q")
            process.wait(10)
        finally:
            process.kill()
            process.wait()
    print(describe_machine())
    report(f"watch, save to verdict, {PART}", seconds, "aim: median 150, 95% 300")


if __name__ == "__main__":
    main()

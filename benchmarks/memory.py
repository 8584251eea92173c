"""Memory of `attn watch`, all its processes together, after saves of every part. Run: python benchmarks/memory.py [SAVES]."""

import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from machine import describe_machine
from solved_course import solved_course

from autograder.exam.syllabus import load
from autograder.student.progress import load_progress
from autograder.workspace import Workspace

ATTN = str(Path(sys.executable).with_name("attn"))
SETTLED = 1.0
"""Seconds after a verdict in which the next children get ready."""


def checked_at(workspace: Workspace, part: str) -> set[str]:
    """Return the digests of the file with which the steps of a part were marked last."""
    return {step.file for path, step in load_progress(workspace).steps.items() if path.startswith(part)}


def wait_for_verdict(workspace: Workspace, part: str, before: set[str], timeout: float = 120.0) -> None:
    """Wait until a part has been marked with another file than before."""
    deadline = time.monotonic() + timeout
    while checked_at(workspace, part) in (before, set()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{part} was not marked within {timeout:g} s")
        time.sleep(0.02)


def family(pid: int) -> list[int]:
    """Return a process and all those that it, and they, have started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has just ended
            found += [one for child in task.read_text(encoding="utf-8").split() for one in family(int(child))]
    return found


def proportional_megabytes(pid: int) -> float:
    """Return the memory of a process; of what it shares with others, its share. 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def command_of(pid: int) -> str:
    """Return what a process runs, in short."""
    words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").rstrip("\0").split("\0")
    return " ".join(Path(word).name for word in words if not word.startswith(("-", "{")))


def read_all(terminal: int) -> None:
    """Take what the command draws, as a terminal does."""
    while True:
        try:
            os.read(terminal, 65536)
        except OSError:
            return


def main() -> None:
    """Save every part in turn while watch runs, then look at its processes."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(solved_course(Path(folder)))
        parts = [part.name for part in load(workspace.syllabus).parts]
        ours, theirs = pty.openpty()
        threading.Thread(target=read_all, args=[ours], daemon=True).start()
        process = subprocess.Popen([ATTN, "watch"], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs)
        try:
            wait_for_verdict(workspace, parts[0], set())
            print(describe_machine())
            for part in parts:
                for number in range(saves):
                    before = checked_at(workspace, part)
                    with workspace.exercise(part).open("a", encoding="utf-8") as file:
                        file.write(f"# {number}\n")
                    wait_for_verdict(workspace, part, before)
                time.sleep(SETTLED)
                memory = {pid: proportional_megabytes(pid) for pid in family(process.pid)}
                print(f"after {saves} saves of {part:<18} {sum(memory.values()):6.0f} MB in {len(memory)} processes")
            for pid, megabytes in memory.items():
                print(f"  {megabytes:6.1f} MB  {command_of(pid) if megabytes else 'has ended'}")
            print(f"attn watch: {sum(memory.values()):.0f} MB (aim: 450)")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()

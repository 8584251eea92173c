"""What this machine makes of the course: every command that differs between systems, run once, and written down.

Run: python benchmarks/elsewhere.py [--out seen.txt] [--quick]. What is left for a person to look at is in docs/try_elsewhere.md. It takes ten
minutes, most of them for the tests, which --quick leaves out.
"""

import argparse
import io
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 1800
LAST_LINES = 12
SOFTMAX = ("check", "softmax", "--from", "solutions")


@dataclass(frozen=True)
class Trial:
    """A command of Python's, and the exit codes that are right."""

    name: str
    arguments: tuple[str, ...]
    right: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Seen:
    """What came of a trial. said: the last lines."""

    trial: Trial
    code: int | None
    seconds: float
    said: str

    @property
    def good(self) -> bool:
        """Whether it ended as it should."""
        return self.code in self.trial.right

    def __str__(self) -> str:
        ended = "it did not end" if self.code is None else f"exit code {self.code}"
        head = f"{'✓' if self.good else '✗'} {self.trial.name}: {ended}, {self.seconds:.1f} s"
        return head if self.good else f"{head}\n{self.said}"


def attn(name: str, *arguments: str, right: tuple[int, ...] = (0,)) -> Trial:
    """Return the trial of a command of ours."""
    return Trial(name, ("-P", "-m", "autograder", *arguments), right)


def trials(quick: bool) -> Iterator[Trial]:
    """Yield what is tried, in this order."""
    yield attn("this machine is found fit", "doctor")
    yield attn("nothing stands by", "stop")
    yield attn("the first check, cold", *SOFTMAX)
    yield attn("the second, warm where that is safe", *SOFTMAX)
    yield attn("every solution passes", "check", "--from", "solutions")
    yield attn("the stubs are not attempted", "check", "--from", "exercises", right=(1,))
    yield attn("a picture in words", "values", "softmax", "--from", "solutions")
    for device in devices():
        yield attn(f"training on {device}", "train", "--reference", "--steps", "20", "--device", device)
    if not quick:
        yield Trial("the quick tests", ("-m", "pytest", "-q", "-m", "not slow and not world"))


def devices() -> list[str]:
    """Return what torch can compute on here."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return [device for device, found in there.items() if found]


def try_out(trial: Trial) -> Seen:
    """Run a trial."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *trial.arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return Seen(trial, None, time.monotonic() - start, "")
    last = "\n".join(done.stdout.splitlines()[-LAST_LINES:])
    return Seen(trial, done.returncode, time.monotonic() - start, last)


def main() -> None:
    """Try everything, print what is seen as it is seen, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "seen.txt")
    parser.add_argument("--quick", action="store_true", help="leave out the tests")
    options = parser.parse_args()
    lines = [
        f"{platform.platform()}, Python {platform.python_version()}, torch {torch.__version__}",
        describe_machine(),
    ]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console of Windows may know no ✓
    print("\n".join(lines))
    failed = 0
    for trial in trials(options.quick):
        seen = try_out(trial)
        failed += not seen.good
        lines.append(str(seen))
        print(seen, flush=True)
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{options.out}: {failed or 'nothing'} that is not as it should be")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

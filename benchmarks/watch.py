"""From a save to its verdict in `attn watch`, in a real pseudo-terminal, over all six parts. Run: python benchmarks/watch.py [SAVES]."""

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
SHOWN = b"marked in"
"""Stands in the last line of a verdict's screen."""

MISTAKES = {
    "part1_simplified": ("exponentials.sum(dim=-1,", "exponentials.sum(dim=0,"),
    "part2_trainable": ("scores / d_k**0.5", "scores / d_k"),
    "part3_causal": ("visible / visible.sum(dim=-1,", "visible / visible.sum(dim=-2,"),
    "part4_multihead": ("context.transpose(1, 2).reshape(b, t, h * hd)", "context.reshape(b, t, h * hd)"),
    "part5_inference": ("everything.triu(diagonal=num_past + 1)", "everything.triu(diagonal=num_past)"),
    "part6_training": ("normalised * self.scale + self.shift", "normalised * self.scale"),
}
"""What a student might write instead; each part is saved with it and without it in turn."""


def solved_course(folder: Path) -> Path:
    """Copy what the commands need into a folder; the exercises are the solutions."""
    for name in ("pyproject.toml", "course.toml", "course", "exams", "solutions", "workbench"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "solutions", folder / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def wrong(part: str, right: str) -> str:
    """Return the text of a part with its mistake."""
    before, after = MISTAKES[part]
    assert before in right, f"{part} no longer says {before!r}"
    return right.replace(before, after)


def wait_for_verdict(terminal: int, timeout: float = 60.0) -> None:
    """Read the terminal until a verdict has been drawn."""
    seen, deadline = b"", time.monotonic() + timeout
    while SHOWN not in seen:
        ready, _, _ = select.select([terminal], [], [], deadline - time.monotonic())
        if not ready:
            raise TimeoutError(f"no verdict within {timeout} s: {seen[-500:]!r}")
        seen += os.read(terminal, 65536)


def wait_for_calm(terminal: int, seconds: float = 0.4) -> None:
    """Read the terminal until nothing has come for a while, as between two saves of a student."""
    while select.select([terminal], [], [], seconds)[0]:
        os.read(terminal, 65536)


def measure(course: Path, saves: int) -> dict[str, list[float]]:
    """Save the parts in turn, now wrong, now right; return by part the seconds from each save to its verdict."""
    seconds: dict[str, list[float]] = {part: [] for part in MISTAKES}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ATTN, "watch"], cwd=course, stdin=theirs, stdout=theirs, stderr=theirs)
    try:
        wait_for_verdict(ours)
        for number in range(saves):
            part = list(MISTAKES)[number % len(MISTAKES)]
            right = (ROOT / "solutions" / f"{part}.py").read_text(encoding="utf-8")
            text = right if number // len(MISTAKES) % 2 else wrong(part, right)
            wait_for_calm(ours)
            begun = time.perf_counter()
            (course / "exercises" / f"{part}.py").write_text(f"{text}# {number}\n", encoding="utf-8")
            wait_for_verdict(ours)
            seconds[part].append(time.perf_counter() - begun)
        os.write(ours, b"q")
        process.wait(10)
    finally:
        process.kill()
        process.wait()
    return seconds


def main() -> None:
    """Report the parts one by one, and all saves together."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        seconds = measure(solved_course(Path(folder)), saves)
    print(describe_machine())
    for part, values in seconds.items():
        report(f"watch, save to verdict, {part}", values)
    together = [second for values in seconds.values() for second in values]
    report("watch, save to verdict, all parts", together, "aim: median 120, 95% 250")


if __name__ == "__main__":
    main()

"""Cold starts: `attn --help`, `attn list`, and `attn check` against a bare `import torch`. Run: python benchmarks/startup.py."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from machine import describe_machine, report

ROOT = Path(__file__).resolve().parent.parent
ATTN = str(Path(sys.executable).with_name("attn"))
RUNS = 11


def timed(*command: str) -> float:
    """Return how many seconds a command takes."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def main() -> None:
    """Time each command in turn, so that a change of the machine's speed meets all of them."""
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "attn --help": (ATTN, "--help"),
        "attn list": (ATTN, "list"),
        "python -c 'import torch'": (sys.executable, "-c", "import torch"),
        "attn check --from solutions": (ATTN, "check", "--from", "solutions"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        timed(*command)
    for _ in range(RUNS):
        for name, command in commands.items():
            seconds[name].append(timed(*command))
    print(describe_machine())
    aims = {"attn --help": "aim: 300", "attn list": "aim: 300"}
    for name, values in seconds.items():
        report(name, values, aims.get(name, ""))
    torch, check = seconds["python -c 'import torch'"], seconds["attn check --from solutions"]
    beyond = [one - other for one, other in zip(check, torch, strict=True)]
    print(f"attn check beyond a bare import torch: median {1000 * statistics.median(beyond):.0f} ms (aim: 500)")


if __name__ == "__main__":
    main()

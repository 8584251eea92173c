"""The machine of a benchmark, and the printing of its figures."""

import os
import platform
import statistics
from collections.abc import Sequence
from importlib.metadata import version


def describe_machine() -> str:
    """Return one line: processor, cores, Python, torch."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, torch {version('torch')}"


def report(what: str, seconds: Sequence[float], aim: str = "") -> None:
    """Print the median, the 95th percentile and the number of runs, in milliseconds."""
    median, high = 1000 * statistics.median(seconds), 1000 * sorted(seconds)[int(0.95 * len(seconds))]
    print(f"{what:<58} median {median:8.1f} ms   95% {high:8.1f} ms   n={len(seconds):<4} {aim}")

"""Types for labs and their results: numbers at growing lengths, for terminals and pages to draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import msgspec

Own = Mapping[str, ModuleType]
"""The modules of the student or of the reference, by the names of their parts."""

Show = Callable[[str], None]
"""A function that shows a message on what is being measured."""


@dataclass(frozen=True)
class Curves:
    """A quantity at growing lengths, for several ways to compute, such as with and without a cache.

    quantity: the name, with the unit. tokens: the lengths. lines: for each way, a number per length.
    """

    quantity: str
    tokens: tuple[int, ...]
    lines: Mapping[str, Sequence[float]]

    def growth(self, way: str) -> float:
        """Return the last number of a way divided by the first."""
        return self.lines[way][-1] / self.lines[way][0]


@dataclass(frozen=True)
class Lab:
    """One experiment on the student's own code.

    steps: the paths of the steps to run. longest: the default of the maximum number of tokens.
    measure: takes the modules and that maximum, returns results. says: puts results in a sentence.
    """

    steps: tuple[str, ...]
    longest: int
    measure: Callable[[Own, int, Show], tuple[Curves, ...]]
    says: Callable[[tuple[Curves, ...]], str]

    @property
    def parts(self) -> list[str]:
        """The names of the parts whose modules the lab needs."""
        return list(dict.fromkeys(step.partition(".")[0] for step in self.steps))


@dataclass(frozen=True)
class Record:
    """Results of labs with the reference on one machine. Pages draw them from a JSON file.

    machine: the processor and the versions of Python and torch. labs: results, by the lab's name.
    """

    machine: str
    date: str
    labs: Mapping[str, tuple[Curves, ...]]


def read_record(path: Path) -> Record:
    """Read a record from a JSON file."""
    return msgspec.json.decode(path.read_bytes(), type=Record)


def even_lengths(longest: int, count: int) -> tuple[int, ...]:
    """Return `count` evenly spaced lengths up to `longest`."""
    return tuple(longest * place // count for place in range(1, count + 1))


def doubling_lengths(longest: int, count: int) -> tuple[int, ...]:
    """Return `count` lengths up to `longest`, each twice as long as the one before."""
    return tuple(longest // 2**halvings for halvings in reversed(range(count)))


def rounded(measured: float) -> float:
    """Return a measured number with three significant digits."""
    return float(f"{measured:.3g}")


def brief(number: float) -> str:
    """Write a number for a sentence, rounded like 1.2, 64 or 1 024."""
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}".replace(",", "\N{NO-BREAK SPACE}")

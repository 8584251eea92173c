"""A lab, and its findings: numbers at growing lengths, which a terminal and a page can draw."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import msgspec

Own = Mapping[str, ModuleType]
"""The modules of the student's, or of the reference, by the names of their parts."""

Show = Callable[[str], None]
"""Called with what is being measured."""


@dataclass(frozen=True)
class Curves:
    """One quantity at growing lengths, in several ways.

    quantity: what it is, with its unit. tokens: the lengths. lines: for each way its numbers, one for each length.
    """

    quantity: str
    tokens: tuple[int, ...]
    lines: Mapping[str, tuple[float, ...]]

    def growth(self, way: str) -> float:
        """Return how many times the first number of a way the last one is."""
        return self.lines[way][-1] / self.lines[way][0]


@dataclass(frozen=True)
class Lab:
    """One experiment on the student's own code.

    steps: what of it is run, `part.step`. longest: up to how many tokens by default.
    measure: from the modules and a length to what was found. says: what was found, in one sentence.
    """

    steps: tuple[str, ...]
    longest: int
    measure: Callable[[Own, int, Show], tuple[Curves, ...]]
    says: Callable[[tuple[Curves, ...]], str]

    @property
    def parts(self) -> list[str]:
        """The names of the parts whose modules it needs."""
        return list(dict.fromkeys(step.partition(".")[0] for step in self.steps))


@dataclass(frozen=True)
class Record:
    """Findings with the reference that depend on the machine; pages draw them from a JSON file.

    machine: processor, Python, torch. labs: findings by the name of the lab.
    """

    machine: str
    date: str
    labs: Mapping[str, tuple[Curves, ...]]


def read_record(path: Path) -> Record:
    """Read a record from a JSON file."""
    return msgspec.json.decode(path.read_bytes(), type=Record)


def even_lengths(longest: int, count: int) -> tuple[int, ...]:
    """Return lengths that grow by the same step each."""
    return tuple(longest * place // count for place in range(1, count + 1))


def doubling_lengths(longest: int, count: int) -> tuple[int, ...]:
    """Return lengths of which each is twice the one before."""
    return tuple(longest // 2**halvings for halvings in reversed(range(count)))


def rounded(measured: float) -> float:
    """Return a measured number with three significant digits."""
    return float(f"{measured:.3g}")


def brief(number: float) -> str:
    """Write a number for a sentence, with two digits at least: 1.2, 64 or 1 024."""
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}".replace(",", "\N{NO-BREAK SPACE}")

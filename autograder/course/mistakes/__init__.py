"""Known wrong implementations, and what to tell a student who wrote one. For instructors: never part of a release.

Each module defines `BANK` for the part of the same name.
"""

from importlib import import_module

from autograder.course.model import Mistake


def load(part: str) -> tuple[Mistake, ...]:
    """Import the known mistakes of a part; this imports torch."""
    return tuple(import_module(f"{__name__}.{part}").BANK.mistakes)

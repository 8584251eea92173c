"""What tests of a class have in common: the module that is handed in, a wrong text of it, and how a class is made."""

from collections.abc import Callable
from pathlib import Path

MODULE = "part1_simplified.py"
WRONG = "def dot_product(a, b):\n    return a * b\n"

MakeClass = Callable[..., Path]
"""By student, the text of the module; None for the solution."""

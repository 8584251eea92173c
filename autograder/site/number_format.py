"""Format numbers for pages."""

from typing import Any

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def shown(value: Any, decimals: int = 4) -> str:
    """Return a number as text: a float with its decimals, or an integer in groups of three digits.

    A row of numbers gets brackets, (0.5000, −0.2000), so that no minus reads as a subtraction.
    Raises ValueError for a matrix, None and nan.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        if any(isinstance(one, list | tuple) for one in value):
            raise ValueError("a line of text has room for a number or a row; draw a matrix with `matrix(...)`")
        return f"({', '.join(shown(one, decimals) for one in value)})"
    if isinstance(value, float):
        if value != value:
            raise ValueError("the number is nan")
        text = f"{value:.{decimals}f}"
        return text.replace("-", "−" if float(text) else "").replace("inf", "∞")
    if isinstance(value, int) and not isinstance(value, bool):
        return grouped(value)
    if value is None:
        raise ValueError("the value is None, which is no number")
    return str(value)


def grouped(number: float) -> str:
    """Return a number with all its digits, in groups of three."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,.15g}"
    return text.replace(",", "\N{NO-BREAK SPACE}").replace("-", "−")


def memory(size: float) -> str:
    """Return a number of bytes in a unit that keeps the text short: 144 bytes, 6.4 GB, 640 GB."""
    power = min(len(f"{int(size):d}") - 1, 3 * len(UNITS) - 3) // 3
    number = size / 1000**power
    return f"{number:.{1 if power and number < 9.95 else 0}f}".removesuffix(".0") + f" {UNITS[power]}"

"""Numbers as pages print them."""

from typing import Any


def shown(value: Any) -> str:
    """Return a number as pages print it: four decimals and a true minus; a row of numbers with spaces between them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return " ".join(map(shown, value))
    if not isinstance(value, float):
        return str(value)
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.4f}"
    return text.replace("-", "" if float(text) == 0 else "−")

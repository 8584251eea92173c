"""Points as text."""


def shown(points: float) -> str:
    """Return points as text, with two decimals at most: 25, 41.5, 3.33."""
    return f"{points:.2f}".rstrip("0").rstrip(".")

"""Where heads look, as small maps side by side: a row for each token that looks, a column for each that is looked at."""

import html
from collections.abc import Sequence

from torch import Tensor

from autograder.pages.figure import Figure, captioned

CELL = 10
FAINTEST = 0.02
"""Weights below this are as good as white."""


def head_maps(weights: dict[str, Tensor], tokens: Sequence[str], caption: str) -> Figure:
    """Return one map for each head. weights: (t, t), by the name of the head; the darker a cell, the more weight it has."""
    drawn = "".join(
        f"<div><p>{html.escape(name)}</p>{_map(rows.tolist(), tokens, name)}</div>" for name, rows in weights.items()
    )
    words = "\n".join(f"- {name}: {_in_words(rows, tokens)}" for name, rows in weights.items())
    return Figure(captioned(f'<div class="maps">{drawn}</div>', caption, "weight"), f"{caption}\n\n{words}\n")


def _map(rows: list[list[float]], tokens: Sequence[str], name: str) -> str:
    size = CELL * len(rows)
    label = html.escape(f"The weights of {name}")
    above = "".join(
        f'<text x="{CELL * place + 5}" y="-4">{html.escape(token)}</text>' for place, token in enumerate(tokens)
    )
    left = "".join(
        f'<text x="-6" y="{CELL * place + 8}">{html.escape(token)}</text>' for place, token in enumerate(tokens)
    )
    cells = "".join(
        f'<rect x="{CELL * key}" y="{CELL * query}" width="{CELL}" height="{CELL}" opacity="{weight:.2f}"/>'
        for query, row in enumerate(rows)
        for key, weight in enumerate(row)
        if weight >= FAINTEST
    )
    return (
        f'<svg viewBox="-12 -13 {size + 13} {size + 14}" role="img" aria-label="{label}">{above}{left}'
        f'<path d="M0 0H{size}V{size}H0Z"/>{cells}</svg>'
    )


def _in_words(rows: Tensor, tokens: Sequence[str]) -> str:
    """Return for each token the one that it looks at most; places tell apart tokens that are alike."""
    most = rows.argmax(dim=1).tolist()
    return ", ".join(f"{tokens[query]}{query + 1} at {tokens[key]}{key + 1}" for query, key in enumerate(most))

"""Where heads look, as small maps side by side: a row for each token that looks, a column for each that is looked at."""

import html
from collections.abc import Collection, Sequence

from torch import Tensor

from autograder.site.figure import Figure, captioned
from course.attention.pages.weight_map import draw_map


def head_maps(
    weights: dict[str, Tensor], tokens: Sequence[str], caption: str, framed: Collection[tuple[int, int]] = ()
) -> Figure:
    """Return one map for each head. weights: (t, t), by the name of the head; the darker a cell, the more weight it has.

    framed: rows and columns of cells that are outlined in each map, from 0; with dashes where the head looks elsewhere.
    """
    drawn = "".join(
        f"<div><p>{html.escape(name)}</p>{draw_map(rows.detach().numpy(), tokens, f'The weights of {name}', framed)}</div>"
        for name, rows in weights.items()
    )
    words = "\n".join(f"- {name}: {_in_words(rows, tokens)}" for name, rows in weights.items())
    return Figure(captioned(f'<div class="maps">{drawn}</div>', caption, "weight"), f"{caption}\n\n{words}\n")


def _in_words(rows: Tensor, tokens: Sequence[str]) -> str:
    """Return for each token the one that it looks at most; places tell apart tokens that are alike."""
    most = rows.argmax(dim=1).tolist()
    return ", ".join(f"{tokens[query]}{query + 1} at {tokens[key]}{key + 1}" for query, key in enumerate(most))

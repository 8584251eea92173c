"""Widgets on a page: an element with the numbers that the page has computed, and words for readers without scripts."""

import html
import json
from typing import Any

from autograder.lecturing.drawn import Drawn

NEEDS = {
    "causal-mask": {"scores", "labels", "d_k"},
    "dot-product-variance": {"dimensions", "seed"},
    "flash-tiles": {"queries", "keys", "values", "labels"},
    "growing-cache": {"queries", "keys", "values", "labels"},
    "head-explorer": set(),
    "head-sharing": {"heads", "head_dim"},
    "head-split": {"x", "labels"},
    "matrix-products": {"examples", "w_query", "w_key", "w_value"},
    "rotary-rotation": {"query", "key"},
    "softmax-temperature": {"scores", "labels"},
    "view-transpose": set(),
    "weighted-sum": {"query", "keys", "values", "labels"},
}
TAKES = {"head-split": {"heads"}, "view-transpose": {"tokens", "heads", "head_dim"}, "weighted-sum": {"token"}}
"""The attributes that a widget must have, and those that it may have, by its tag."""


def widget(tag: str, instead: str, **attributes: Any) -> Drawn:
    """Return a widget. instead: what it would have shown. attributes: tensors, lists and strings; `d_k` becomes `d-k`.

    Raises ValueError for a widget that does not exist, and for attributes that it does not have.
    """
    if tag not in NEEDS:
        raise ValueError(f"there is no widget {tag!r}; there are {', '.join(NEEDS)}")
    missing, unknown = NEEDS[tag] - set(attributes), set(attributes) - NEEDS[tag] - TAKES.get(tag, set())
    if missing or unknown:
        raise ValueError(f"{tag} lacks {sorted(missing)} and does not know {sorted(unknown)}")
    written = "".join(
        f' {name.replace("_", "-")}="{html.escape(_as_json(value))}"' for name, value in attributes.items()
    )
    page = f'<{tag} class="widget"{written}><p class="instead">{html.escape(instead)}</p></{tag}>'
    return Drawn(f"<div>{page}</div>", f"{instead}\n")


def _as_json(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    return json.dumps(_rounded(value.tolist() if hasattr(value, "tolist") else value), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    """Return numbers with the seven digits that float32 has, and not the ten more of a Python float."""
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {name: _rounded(one.tolist() if hasattr(one, "tolist") else one) for name, one in value.items()}
    return float(f"{value:.7g}") if isinstance(value, float) else value

"""Embed a widget: an HTML element with data, and a text for browsers that run no scripts."""

import html
import json
import math
from collections.abc import Mapping
from typing import Any

from autograder.course.course import Widget
from autograder.site.figure import Figure, inline

JAVASCRIPT = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
"""The numbers that JSON does not have, as JavaScript writes them."""


def widget(known: Mapping[str, Widget], tag: str, instead: str, **attributes: Any) -> Figure:
    """Return a widget. known: the course's widgets, by tag. instead: the text without scripts.

    attributes: data; `d_k` becomes `d-k`. Raises ValueError for an unknown tag or wrong attributes.
    """
    if tag not in known:
        raise ValueError(f"there is no widget {tag!r}; there are {', '.join(known)}")
    if wrong := ({*known[tag].needs} ^ attributes.keys()) - {*known[tag].takes}:
        raise ValueError(f"{tag} lacks or does not know {sorted(wrong)}")
    written = "".join(
        f' {name.replace("_", "-")}="{html.escape(_as_json(value))}"' for name, value in attributes.items()
    )
    page = f'<{tag} class="widget"{written}><p class="instead">{inline(html.escape(instead, quote=False))}</p></{tag}>'
    return Figure(f"<div>{page}</div>", f"{instead}\n")


def _as_json(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a value as data for JSON: tensors as lists, and infinite numbers as strings.

    Floats are rounded to nine digits, with which different float32 numbers stay different.
    """
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else JAVASCRIPT[str(value)]
    return _plain(value.tolist()) if hasattr(value, "tolist") else value

"""Embed a widget: an HTML element with data, and a text for browsers that run no scripts."""

import html
import json
from collections.abc import Mapping
from typing import Any

from autograder.course.course import Widget
from autograder.site.figure import Figure, inline


def widget(known: Mapping[str, Widget], tag: str, instead: str, **attributes: Any) -> Figure:
    """Return a widget. known: the course's widgets, by tag. instead: the text without scripts.

    attributes: data; `d_k` becomes `d-k`. Raises ValueError for an unknown tag or wrong attributes.
    """
    if tag not in known:
        raise ValueError(f"there is no widget {tag!r}; there are {', '.join(known)}")
    wrong = ({*known[tag].needs} ^ attributes.keys()) - {*known[tag].takes}
    if wrong:
        raise ValueError(f"{tag} lacks or does not know {sorted(wrong)}")
    written = "".join(
        f' {name.replace("_", "-")}="{html.escape(_as_json(value))}"' for name, value in attributes.items()
    )
    page = f'<{tag} class="widget"{written}><p class="instead">{inline(html.escape(instead, quote=False))}</p></{tag}>'
    return Figure(f"<div>{page}</div>", f"{instead}\n")


def _as_json(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    return json.dumps(_rounded(value.tolist() if hasattr(value, "tolist") else value), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    """Round floats to nine digits, with which different float32 numbers stay different."""
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {name: _rounded(one.tolist() if hasattr(one, "tolist") else one) for name, one in value.items()}
    return float(f"{value:.9g}") if isinstance(value, float) else value

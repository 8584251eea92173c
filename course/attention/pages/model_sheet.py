"""A whole model on one sheet: what a text becomes on its way through it. Each box leads to the lecture of the step that makes it."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from torch import Tensor

from autograder.site.figure import Figure, inline
from autograder.site.matrix import shape_of
from autograder.workspace import here


@dataclass(frozen=True)
class Stop:
    """One box. link: to the section that explains it, as a page beside it writes it. role: its colour."""

    name: str
    shape: str
    link: str
    role: str


def stop(name: str, step: str, tensor: Tensor, role: str = "plain") -> Stop:
    """Return a box of a sheet. step: `part.step`, to whose section the box leads. role: its colour, as for a matrix."""
    part, _, own = step.partition(".")
    lecture = PurePosixPath(here().course.part(part).step(own).lecture)
    return Stop(name, shape_of(tensor), f"{lecture.name}#{own.lower()}", role)


def model_sheet(rows: Mapping[str, Sequence[Stop]], caption: str) -> Figure:
    """Return a sheet, for a page beside the lectures. rows: stops by the heading above them, in the order in which a text passes them."""
    page = "\n\n".join(
        f'**{name}**\n\n<ol class="stops" markdown>\n{_items(stops)}\n</ol>' for name, stops in rows.items()
    )
    framed = f'<figure class="figure model-sheet" data-search-exclude markdown>\n\n{page}\n\n'
    words = "\n".join(line for name, stops in rows.items() for line in _in_words(name, stops))
    return Figure(
        f"{framed}<figcaption>{inline(html.escape(caption, quote=False))}</figcaption>\n</figure>",
        f"{caption}\n\n{words}\n",
    )


def _items(stops: Sequence[Stop]) -> str:
    return "\n".join(
        f"<li markdown>[**{one.name}** <span>{one.shape}</span>]({one.link}){{ .box .{one.role} }}</li>"
        for one in stops
    )


def _in_words(name: str, stops: Sequence[Stop]) -> Iterator[str]:
    yield f"- **{name}**"
    for one in stops:
        yield f"    - [{one.name}]({one.link}) {one.shape}"

"""Which token's vector waits for which: a chain, where each waits for the one before, and all pairs, where none waits."""

import html
from collections.abc import Sequence

from autograder.site.figure import Figure, captioned

PITCH, HEIGHT, RADIUS = 62, 196, 15
STATES, TOKENS = 34, 186
"""The heights of the circles and of the tokens' names."""


def chain(tokens: Sequence[str], caption: str) -> Figure:
    """Return a network that reads token after token: the state of each needs the state before. A number says in which step it is ready."""
    ups = "".join(_arrow(_middle(place), TOKENS - 24, _middle(place), STATES + RADIUS) for place in range(len(tokens)))
    alongs = "".join(
        _arrow(_middle(place) + RADIUS, STATES, _middle(place + 1) - RADIUS, STATES) for place in range(len(tokens) - 1)
    )
    drawn = f'{ups}<g class="chosen">{alongs}</g>{_circles(tokens)}{_steps(tokens)}{_names(tokens)}'
    return Figure(_figure(drawn, tokens, caption, "query"), f"{caption}\n\n{' → '.join(tokens)}\n")


def pairs(tokens: Sequence[str], chosen: int, caption: str) -> Figure:
    """Return a layer in which every token's vector is made from all tokens. chosen: the token whose links stand out."""
    places = range(len(tokens))
    others = "".join(_lines_to(top, places) for top in places if top != chosen)
    drawn = f'{others}<g class="chosen">{_lines_to(chosen, places)}</g>{_circles(tokens)}{_names(tokens)}'
    words = f"{', '.join(tokens)}: each of the {len(tokens)} with each of the {len(tokens)}"
    return Figure(_figure(drawn, tokens, caption, "context"), f"{caption}\n\n{words}\n")


def _lines_to(top: int, places: Sequence[int]) -> str:
    return "".join(f'<path d="M{_middle(place)} {TOKENS - 20}L{_middle(top)} {STATES + RADIUS}"/>' for place in places)


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    """Return an arrow that runs to the right or upwards."""
    head = "m-6 -4l6 4l-6 4" if y == to_y else "m-4 6l4 -6l4 6"
    return f'<path d="M{x} {y}L{to_x} {to_y}{head}"/>'


def _circles(tokens: Sequence[str]) -> str:
    return "".join(f'<circle cx="{_middle(place)}" cy="{STATES}" r="{RADIUS}"/>' for place in range(len(tokens)))


def _steps(tokens: Sequence[str]) -> str:
    return "".join(
        f'<text x="{_middle(place)}" y="{STATES + 5}" text-anchor="middle">{place + 1}</text>'
        for place in range(len(tokens))
    )


def _names(tokens: Sequence[str]) -> str:
    return "".join(
        f'<text x="{_middle(place)}" y="{TOKENS}" text-anchor="middle">{html.escape(token)}</text>'
        for place, token in enumerate(tokens)
    )


def _middle(place: int) -> int:
    return PITCH // 2 + place * PITCH


def _figure(drawn: str, tokens: Sequence[str], caption: str, role: str) -> str:
    size = f'viewBox="0 0 {len(tokens) * PITCH} {HEIGHT}"'
    return captioned(
        f'<svg {size} role="img" aria-label="{html.escape(caption)}">{drawn}</svg>', caption, f"links {role}"
    )

"""What each token of a sentence may see, and the token that it has to guess: a mask as a picture that can be read."""

import html
from collections.abc import Sequence

from torch import Tensor

from autograder.render.html import scrolling
from autograder.site.figure import Figure, captioned

UNSEEN = "·"


def sight(hidden: Tensor, tokens: Sequence[str], caption: str, new: Tensor | None = None) -> Figure:
    """Return a row for each query: the tokens that it may see, and the one that comes next.

    hidden: (t, t), True where the key of the column is hidden from the query of the row. new: (t, t), True where a token is outlined.
    """
    seen = [[UNSEEN if gone else token for token, gone in zip(tokens, row, strict=True)] for row in hidden.tolist()]
    guesses = [*tokens[1:], "?"]
    outlined = [[False] * len(tokens)] * len(tokens) if new is None else new.tolist()
    return Figure(_table(seen, outlined, guesses, caption), _markdown(seen, guesses, caption))


def _table(seen: list[list[str]], outlined: list[list[bool]], guesses: list[str], caption: str) -> str:
    lines = "".join(
        f'<tr>{"".join(map(_cell, row, new))}<th scope="row">{html.escape(guess)}</th></tr>'
        for row, new, guess in zip(seen, outlined, guesses, strict=True)
    )
    head = f'<tr><th scope="colgroup" colspan="{len(guesses)}">sees</th><th scope="col">guesses</th></tr>'
    table = f'<table class="sight"><thead>{head}</thead><tbody>{lines}</tbody></table>'
    return captioned(scrolling(table, caption), caption, "matrix")


def _cell(text: str, new: bool) -> str:
    kind = "hidden" if text == UNSEEN else "seen new" if new else "seen"
    return f'<td class="{kind}">{html.escape(text)}</td>'


def _markdown(seen: list[list[str]], guesses: list[str], caption: str) -> str:
    width = len(guesses)
    lines = [["sees", *[""] * (width - 1), "guesses"], ["---"] * (width + 1)]
    lines += [[*row, f"**{guess}**"] for row, guess in zip(seen, guesses, strict=True)]
    return f"{caption}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

"""A hook of MkDocs: each page gets the picture that its link shows elsewhere, in previews/, beside the pages."""

from functools import cache
from html import unescape
from pathlib import Path

import numpy as np
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from numpy.typing import NDArray

from autograder.site.link_picture import link_picture

TOKENS, DIMENSIONS = 14, 4


def on_post_page(_: str, page: Page, config: MkDocsConfig) -> None:
    """Draw the picture of a page, named after its file."""
    name = unescape(config.site_name)
    title, above = (
        (name, "")
        if page.is_homepage
        else (
            unescape(page.title),
            " · ".join(one.title for one in reversed(page.ancestors)),
        )
    )
    picture = drawn(title, above, "" if page.is_homepage else name)
    path = Path(config.site_dir, "previews", page.file.src_uri).with_suffix(".png")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture)


@cache  # for `mkdocs serve`, which makes the pages again and again
def drawn(title: str, above: str, below: str) -> bytes:
    """Return the picture of a title."""
    return link_picture(title, above, below, self_attention(title))


def self_attention(title: str) -> NDArray[np.float64]:
    """Return the causal attention weights of the title's first letters, (14, 14): each letter has random numbers of its own."""
    letters = [ord(letter) for letter in (title * TOKENS)[:TOKENS]]
    x = np.stack(
        [np.random.default_rng(one).normal(size=DIMENSIONS) for one in letters]
    )
    x += np.random.default_rng(0).normal(size=x.shape) / 2  # and so has each place
    scores = x @ x.T / DIMENSIONS**0.5
    shares = np.tril(np.exp(scores - scores.max(axis=1, keepdims=True)))
    return shares / shares.max(axis=1, keepdims=True)

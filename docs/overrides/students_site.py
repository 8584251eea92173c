"""A hook of MkDocs: with INSTRUCTORS=false the site has no page for instructors and authors, and no card that leads to one."""

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from pathspec import GitIgnoreSpec

NOT_FOR_STUDENTS = ("For instructors", "For authors")
"""Sections of the navigation."""

CARD = re.compile(r"^- .*?(?=^- |^</div>)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the sections out of the navigation, and their pages out of the site."""
    if not config.extra["instructors"]:
        left_out = pages_left_out(config.nav)
        config.extra["left_out"] = left_out
        config.nav = [
            section
            for section in config.nav
            if not {*section} & {*NOT_FOR_STUDENTS}
        ]
        config.exclude_docs += GitIgnoreSpec.from_lines(
            f"/{page}" for page in left_out
        )
    return config


def on_page_markdown(markdown: str, config: MkDocsConfig, **_: Any) -> str:
    """Leave out cards that lead to pages that are not there."""
    left_out = config.extra.get("left_out", ())
    return CARD.sub(
        lambda card: (
            "" if any(f"]({page})" in card[0] for page in left_out) else card[0]
        ),
        markdown,
    )


def pages_left_out(nav: list[dict[str, Any]]) -> list[str]:
    """Return the pages of the sections that are not for students."""
    sections = (
        pages
        for section in nav
        for title, pages in section.items()
        if title in NOT_FOR_STUDENTS
    )
    return [
        page for pages in sections for entry in pages for page in entry.values()
    ]

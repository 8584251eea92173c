"""Where a reader first meets a word of the field, it is explained, and then stands in italics, or a link leads to where it is."""

import re
from functools import cache

import pytest

from autograder.site.program import FRONT_MATTER
from autograder.workspace import COURSE

DOCS = COURSE.root / "docs"
ROUTES = {
    "all lectures": re.findall(r": lectures/(\w+)\.md", (COURSE.root / "mkdocs.yml").read_text(encoding="utf-8")),
    "the short route": re.findall(
        r"^\d+\. \[[^]]+\]\(lectures/(\w+)\.md\)", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    ),
}
TERMS = [
    *("attention sink", "batch", "bias", "broadcast", "buffer", "cache", "context vector"),
    *("cross entropy", "decoder", "dropout", "embedding", "encoder", "gradient", "head", "hook"),
    *("induction", "inference", "key", "layer", "learning rate", "linear layer", "logit", "loss", "mask"),
    *("module", "optimizer", "overfit", "padding", "parameter", "perplexity", "projection", "prompt"),
    *("query", "rank", "residual", "score", "self-attention", "softmax", "standard normal", "tensor"),
    *("tile", "token", "value", "variance", "vocabulary", "weight"),
]
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2$", re.MULTILINE | re.DOTALL)
NO_SENTENCE = re.compile(r"^#.*|^- \[.*|^Sources: .*|\{= .+? \}|`[^`\n]+`|(?<=\])\([^)]+\)", re.MULTILINE)


@cache
def paragraphs(lecture: str) -> list[str]:
    """Return what a lecture says in sentences: without code, headings, lists of lectures, and where its links lead."""
    text = FRONT_MATTER.sub("", (DOCS / "lectures" / f"{lecture}.md").read_text(encoding="utf-8"))
    return NO_SENTENCE.sub("", FENCED.sub("", text)).splitlines()


def first_use(term: str, route: str) -> str | None:
    """Return the paragraph of a route in which a term is used first."""
    uses = (
        text
        for lecture in ROUTES[route]
        for text in paragraphs(lecture)
        if re.search(rf"\b{term}", text, re.IGNORECASE)
    )
    return next(uses, None)


def marked(text: str) -> str:
    """Return what stands in italics, in bold or in a link."""
    return " ".join(map("".join, re.findall(r"\*+([^*]+)\*+|\[([^]]+)\]", text)))


def test_each_term_is_used_somewhere() -> None:
    assert [term for term in TERMS if not first_use(term, "all lectures")] == []


@pytest.mark.parametrize("route", ROUTES)
def test_a_term_is_explained_or_linked_where_it_is_first_used(route: str) -> None:
    uses = {term: first_use(term, route) or f"*{term}*" for term in TERMS}

    assert {term: text for term, text in uses.items() if not re.search(rf"\b{term}", marked(text), re.IGNORECASE)} == {}

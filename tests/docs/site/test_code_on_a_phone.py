"""Code on a phone: its button lies beside it, and commands go on in the next line without breaking a word."""

import pytest
from built_site import ROOT
from opened_site import Open

pytestmark = pytest.mark.slow

GUIDE = "mark_a_class/"

ROOM = """() => [...document.querySelectorAll("pre:has(> .md-code__nav)")]
  .filter(block => block.querySelector("nav").checkVisibility())
  .map(block => block.querySelector("nav").getBoundingClientRect().left
    - block.querySelector("code").getBoundingClientRect().right)"""
"""Pixels between each code and its button."""

LINES = """() => [...document.querySelectorAll(".language-sh code")].flatMap(code => {
  const lines = [];
  const range = document.createRange();
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  for (let top; texts.nextNode();)
    for (let at = 0; at < texts.currentNode.length; at++) {
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + 1);
      const place = range.getBoundingClientRect();
      if (lines.length === 0 || place.top > top + 9) lines.push("");
      top = Math.max(place.top, place.height ? place.top : top ?? 0);
      lines[lines.length - 1] += range.toString();
    }
  return lines;
})"""
"""What stands in each line on the screen."""


@pytest.mark.parametrize("path", ["", "lectures/causal_mask/", GUIDE])
def test_the_button_that_copies_lies_on_no_code(open_site: Open, path: str) -> None:
    page = open_site(path, width=375).page
    page.locator(".md-code__nav >> visible=true").first.wait_for()

    assert min(page.evaluate(ROOM)) >= 0


@pytest.mark.parametrize("width", [320, 375])
def test_a_command_breaks_between_two_words(open_site: Open, width: int) -> None:
    page = open_site(GUIDE, width=width).page
    lines = page.evaluate(LINES)

    assert len(lines) > source_of(GUIDE).count("\n")
    assert [line for line in lines if not line[-1].isspace()] == []


def test_a_command_that_goes_on_in_the_next_line_is_copied_as_one(open_site: Open) -> None:
    page = open_site(GUIDE, width=375, permissions=("clipboard-read", "clipboard-write")).page
    page.locator(".language-sh").first.get_by_title("Copy to clipboard").click()

    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines() == source_of(GUIDE).splitlines()


def source_of(page: str) -> str:
    """Return the first commands of a guide."""
    text = (ROOT / "docs" / f"{page.rstrip('/')}.md").read_text("utf-8")
    return text.partition("```sh\n")[2].partition("```")[0]

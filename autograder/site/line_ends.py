"""Where a line of a page may end: not within an option, a short shape or sum, nor a number; and numbers of a table end below each other."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

WITH_HYPHEN = re.compile(r"(\S*-\S*)")
LONGEST_WHOLE, LONGEST_SHAPE = 24, 20
"""Characters: what is longer may break, for the sake of the narrowest phone."""

RIGHT = "text-align: right;"
WHOLE = " white-space: nowrap;"
"""So that no unit stands alone, either."""

JOINT = re.compile(r"(?<=[\w/][_/])(?=\w)|(?<=\w\.)(?=\w{5})")
LONG_NAME = 20
COMMANDS = re.compile(r'(<div class="language-(?:sh|bat) highlight">.*?<code>)(.*?)(?=</code>)', re.DOTALL)
COLOURED = re.compile(r'<span class="(?!c)\w+">([^<]*)</span>')
TAG_OR_WORD = re.compile(r"(<[^>]*>)|[a-zA-Z0-9]*[^a-zA-Z0-9\s<][^\s<]+")

PUT_ASIDE = "\x02\\w+:\\d+\x03"
"""How Markdown marks the place of a formula."""

OPERATOR = re.compile(r"(?<!\S)(\S+) ([=<>≤≥+−×·/÷]) (?=(\S+))")
WHOLE_SPACE = "\N{NO-BREAK SPACE}"
JOINS = {"×", "·", "/", "÷"}
SHORT = 5
"""Characters of a number or a name, on both sides of an equals sign or a plus that begins no line."""

SIGNS = rf"(?:[\w′…·×+−/.\N{{NO-BREAK SPACE}}]|{PUT_ASIDE})+"
SHAPE = re.compile(rf"\({SIGNS}(?:, {SIGNS})+,?\)")
WITHIN_NUMBER = re.compile(
    r"(?:(?<=\b\d)|(?<=\b\d\d)|(?<=\b\d\d\d)) (?=\d{3}\b)"  # 10 000
    r"|(?<=\d) (?=(?:%|min|s|ms|µs|[kKM]B|GB|[KMG]iB)(?!\w))"  # 192 MiB
)
NUMBER = re.compile(r"[−+]?\d[\d\s.]*(?:[eE][−-]?\d+)?(?: ?(?:%|×|min|s|ms|µs|kB|MB|GB|MiB|GiB))?")
NONE = {"", "–", "—"}


class _LineEnds(Treeprocessor):
    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            _numbers_to_the_right(table)
        for element in root.iter():
            if element.tag == "code":
                _words(element)
            elif not isinstance(element.text, AtomicString):
                element.text = _whole(element.text)
            element.tail = _whole(element.tail)


class _CommandEnds(Postprocessor):
    """A command goes on in the next line between two words; within one that is longer than a line, where a sentence does.

    A browser breaks words behind a hyphen, but no element: each word is one, whatever its colour was. Comments keep theirs.
    """

    def run(self, text: str) -> str:
        return COMMANDS.sub(lambda block: block[1] + TAG_OR_WORD.sub(_element, COLOURED.sub(r"\1", block[2])), text)


def _element(found: re.Match[str]) -> str:
    return found[1] or f'<span class="word">{"<wbr>".join(_pieces(found[0]))}</span>'


def _whole(text: str | None) -> str | None:
    """Return the text with spaces that end no line within short shapes, within numbers and around operators."""
    return text and SHAPE.sub(
        lambda found: found[0].replace(" ", WHOLE_SPACE) if _length(found[0]) <= LONGEST_SHAPE else found[0],
        OPERATOR.sub(_operator, WITHIN_NUMBER.sub(WHOLE_SPACE, text)),
    )


def _operator(found: re.Match[str]) -> str:
    """A line may begin with an operator between long numbers, unless it binds them closely. None ends with one."""
    left, sign, right = found.groups()
    joined = sign in JOINS or max(_length(left), _length(right)) <= SHORT
    return f"{left}{WHOLE_SPACE if joined else ' '}{sign}{WHOLE_SPACE}"


def _length(text: str) -> int:
    return len(re.sub(PUT_ASIDE, "dk", text))


def _words(code: Element) -> None:
    """Keep options and short code whole, and let a long name go on behind an underscore, a slash or a dot."""
    text, code.text = code.text or "", ""
    if " " in text and len(text) <= LONG_NAME:
        code.set("class", "whole")
        code.text = AtomicString(text)
        return
    last: Element | None = None
    for word in WITH_HYPHEN.split(text):
        if "-" in word and len(word) <= LONGEST_WHOLE:
            last = SubElement(code, "span", {"class": "whole"})
            last.text = AtomicString(word)
            continue
        first, *others = _pieces(word)
        if last is None:
            code.text = AtomicString(code.text + first)
        else:
            last.tail = AtomicString((last.tail or "") + first)
        for piece in others:
            last = SubElement(code, "wbr")
            last.tail = AtomicString(piece)


def _pieces(text: str) -> list[str]:
    return JOINT.split(text) if any(len(word) >= LONG_NAME for word in text.split()) else [text]


def _numbers_to_the_right(table: Element) -> None:
    for column in _columns(table):
        texts = ["".join(cell.itertext()).strip() for cell in column if cell.tag == "td"]
        if any(map(NUMBER.fullmatch, texts)) and all(text in NONE or NUMBER.fullmatch(text) for text in texts):
            for cell in column:
                cell.set("style", RIGHT + WHOLE * (cell.tag == "td"))


def _columns(table: Element) -> Iterator[list[Element]]:
    rows = [list(row) for row in table.iter("tr")]
    for column in zip_longest(*rows):
        yield [cell for cell in column if cell is not None]


class LineEnds(Extension):
    """The Markdown extension: runs on the finished tree, behind the table of contents, which has 5."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's name)
        """Register the processors; that of commands behind lean code, which has 5 and joins neighbours of one class."""
        md.treeprocessors.register(_LineEnds(md), "line-ends", 4)
        md.postprocessors.register(_CommandEnds(md), "command-ends", 4)


def makeExtension() -> LineEnds:  # noqa: N802 (Markdown's name)
    """Return the extension; Markdown calls this."""
    return LineEnds()

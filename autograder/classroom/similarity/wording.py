"""The wording of a part: what its values and statements leave out. Comments and texts, names of one's own, and lines as they are written."""

import builtins
import itertools
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from autograder.grading.grade import clean

FEWEST_WORDS = 2
"""A comment or text of fewer words is written by people who never met."""

QUOTE = "“"
"""How a remark begins where it is shown."""

SHORTEST_LINE = 12
"""Signs of a line that is compared."""

FEW = 0.1
"""The share of the people up to which wording is rare; what two have may always be."""

REMARK = re.compile(
    r'''("""(?:\\.|(?!""")[^\\])*+(?:""")?'''
    r"""|'''(?:\\.|(?!''')[^\\])*+(?:''')?"""
    r"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?"""
    r"""|\#[^\n]*)""",
    re.DOTALL,
)
"""A text or a comment, closed or not."""

DOTTED = re.compile(r"[\w.]+")
WORD = re.compile(r"\w+")
OF_PYTHON = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)

Wording = frozenset[int]
"""Phrases by their hash: a class has millions."""


def phrases(text: str) -> Iterator[str]:
    """Yield the comments and texts, the lines and the names of a module or notebook; lines without what stands between their signs."""
    pieces = REMARK.split(text)
    for words in map(WORD.findall, pieces[1::2]):
        if len(words) >= FEWEST_WORDS:
            yield f"{QUOTE}{' '.join(words)}”"
    code = " ".join(pieces[::2])
    yield from (line for line in code.replace(" ", "").split("\n") if len(line) >= SHORTEST_LINE)
    for dotted in set(DOTTED.findall(code)):
        name = dotted.removeprefix("self.").partition(".")[0]
        if name.isidentifier():
            yield name


def wording_of(text: str) -> Wording:
    """Return the wording of a module or notebook."""
    return frozenset(map(hash, phrases(text)))


def given_wording(code: Iterable[str], prose: Iterable[str]) -> Wording:
    """Return the wording that everybody was given. code: read as a hand-in is. prose: each of its words is given as a name."""
    words = itertools.chain(OF_PYTHON, *map(WORD.findall, prose))
    return frozenset(map(hash, words)).union(*map(wording_of, code))


def in_words(wording: Iterable[int], texts: Iterable[str]) -> list[str]:
    """Return the phrases of a wording as they can be shown, in its order, remarks first. texts: where it was read."""
    found = {hash(phrase): clean(phrase) for text in texts for phrase in phrases(text)}
    return sorted((found[one] for one in wording if one in found), key=lambda phrase: not phrase.startswith(QUOTE))


class Rare:
    """The rare wording of one part."""

    def __init__(self, of_people: Sequence[Wording]) -> None:
        self._of_people = of_people
        self._held = Counter(phrase for wording in of_people for phrase in wording)
        self._most = max(2, FEW * sum(map(bool, of_people)))

    def of(self, one: int, other: int) -> list[int]:
        """Return what two people have in common, the rarest first."""
        both = self._of_people[one] & self._of_people[other]
        return sorted((phrase for phrase in both if self._held[phrase] <= self._most), key=self._held.__getitem__)

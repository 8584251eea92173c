"""The font of the formulas, STIX Two Math (SIL Open Font Licence), cut down to the glyphs of the pages; and its stylesheet.

Without a font for mathematics brackets and roots do not grow with what they hold. The whole font would weigh as much as all
else on a page. `python -m autograder.site.font DOCS` writes both into `DOCS/fonts`.
"""

import contextlib
import html
import re
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from unicodedata import decomposition

from fontTools import subset

from autograder.site.mathml import DISPLAY_IN_PAGE, INLINE, BadFormula, to_mathml

FENCED = re.compile(r"^( *)(```+|~~~+)(?P<info>.*?)$(?P<code>.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
TAG = re.compile(r"<[^>]+>")
FILE = Path("fonts") / "course_math.woff2"
STYLESHEET = Path(__file__).with_name("lectures.css")
"""The look of formulas, and of what pages of any course draw."""
DIGITS = "0123456789"
"""Numbers in formulas may be computed when the site is made."""
GROWING = "()[]{}|‖√∑∏∫⟨⟩⌈⌉⌊⌋"
"""Signs that grow with their content need their larger forms, even if a page has them only in prose."""
ITALICS = {
    chr(int(decomposition(chr(code)).split()[1], 16)): chr(code)
    for code in (*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C), ord("ℎ"))
    if decomposition(chr(code))
}
"""The mathematical italic of each Latin and Greek letter: a browser draws a single letter so."""


def glyphs_of(pages: Iterable[str]) -> set[str]:
    """Return every character in a formula of these pages, as the browser will draw it."""
    found = {*GROWING, *DIGITS}
    for page in pages:
        text = CODE.sub("", FENCED.sub(_drawn, page))
        formulas = [(latex, True) for latex in DISPLAY_IN_PAGE.findall(text)]
        formulas += [(latex, False) for latex in re.findall(INLINE, DISPLAY_IN_PAGE.sub("", text))]
        for latex, display in formulas:
            with contextlib.suppress(BadFormula):  # the site's own build reports it, with its page
                found |= set(html.unescape(TAG.sub("", to_mathml(latex, display))))
    return found | {ITALICS[letter] for letter in found & ITALICS.keys()}


def _drawn(block: re.Match[str]) -> str:
    """Return the code of a block that draws: its questions and captions may hold formulas. Other blocks are shown as they are."""
    return block["code"] if block["info"].split()[:2] == ["python", "draw"] else ""


def write_font(docs: Path) -> Path:
    """Write the font for the pages of a folder, and the stylesheet beside it; return the path of the font."""
    glyphs = glyphs_of(page.read_text(encoding="utf-8") for page in sorted(docs.rglob("*.md")))
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True)
    font = subset.load_font(str(whole_font()), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(glyphs)))
    cutter.subset(font)
    path = docs / FILE
    path.parent.mkdir(exist_ok=True)
    subset.save_font(font, str(path), options)
    shutil.copy(STYLESHEET, path.parent)
    return path


def whole_font() -> Path:
    """Return the file of the font that the pages use a part of."""
    return Path(str(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")))


if __name__ == "__main__":
    made = write_font(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size / 1000:.0f} KB")

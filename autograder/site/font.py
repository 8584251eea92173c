"""Write the font of formulas, and the stylesheet of pages. Run: python -m autograder.site.font DOCS.

The font is STIX Two Math (SIL Open Font Licence), reduced to common glyphs. Brackets and
roots grow with their content only in a font for mathematics.
"""

import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

from fontTools import subset

FILE = Path("fonts") / "course_math.woff2"
STYLESHEET = Path(__file__).with_name("lectures.css")
LETTERS = "20-7E,391-3C9,1D434-1D467,1D6E2-1D71B"
"""The code points of ASCII, Greek and mathematical italic letters."""
SIGNS = "±·×÷‖…′″⁡⁢⁣ℎℓℕℝ←↑→↓↔⇒⇔∀∂∃∇∈∉∏∑−∗∘√∝∞∣∧∨∩∪∫∼≈≠≡≤≥≪≫⊂⊆⊕⊗⊙⊤⊥⋅⋮⋯⋱⌈⌉⌊⌋⟨⟩"
"""The signs in the font. Browsers take other signs from the reader's own fonts."""


def write_font(docs: Path) -> Path:
    """Write the font and the stylesheet into the folder of the pages. Return the path of the font."""
    whole = distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")
    path = docs / FILE
    path.parent.mkdir(exist_ok=True)
    letters = [f"--unicodes={LETTERS}", f"--text={SIGNS}", "--layout-features=*", "--notdef-outline"]
    subset.main([str(whole), *letters, "--flavor=woff2", f"--output-file={path}"])
    shutil.copy(STYLESHEET, path.parent)
    return path


if __name__ == "__main__":
    made = write_font(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size / 1000:.0f} KB")

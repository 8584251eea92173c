"""Make a page with the live model of the lectures, for a student's own model.

The page is one file that contains the modules of docs/widgets and the model, because a page on
the disk cannot load other files in a browser.
"""

import base64
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

PACKED = ".packed.safetensors"
"""The end of the names of the files that `attn train` writes for the widget."""

WIDGET = "live_gpt"
SHEETS = ("site", "widgets")
IMPORTED = re.compile(r'(?<= from )"\./(\w+)\.mjs"')

PAGE = Path(__file__).with_suffix(".html")
"""The template of the page."""


def live_page(docs: Path, model: Path) -> str:
    """Return the page as HTML. docs: the folder docs/. model: the packed model's path. Raises OSError."""
    sheets = [(docs / "stylesheets" / f"{name}.css").read_text(encoding="utf-8") for name in SHEETS]
    modules = {name: _address("text/javascript", code.encode()) for name, code in _modules(docs / "widgets", WIDGET)}
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(model.name.removesuffix(PACKED)),
        style="".join(sheets),
        modules=json.dumps({"imports": modules}),
        widget=WIDGET,
        model=_address("application/octet-stream", model.read_bytes()),
    )


def _modules(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the code of a module and of all that it imports. A module may come twice."""
    code = (folder / f"{name}.mjs").read_text(encoding="utf-8")
    yield name, IMPORTED.sub(r'"\1"', code)
    for imported in IMPORTED.findall(code):
        yield from _modules(folder, imported)


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"

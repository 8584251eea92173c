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

PACKED = ".packed.safetensors"
"""The end of the names of the files that `attn train` writes for the widget."""

WIDGET = "live_gpt"
SHEETS = ("site", "widgets")
IMPORTED = re.compile(r'(?<= from )"\./(\w+)\.mjs"')

STYLE = """
:root, [data-md-color-scheme="default"] { color-scheme: light; --md-default-bg-color: #fff; --md-default-fg-color: #24252b; }
[data-md-color-scheme="slate"] { color-scheme: dark; --md-default-bg-color: #1e1f26; --md-default-fg-color: #e3e4ea; }
html { font-size: 125%; } /* as the site's, in whose units the widgets are drawn */
body { margin: 0; background: var(--md-default-bg-color); color: var(--md-default-fg-color); font: 0.8rem/1.6 system-ui, sans-serif; }
main { box-sizing: border-box; max-width: 40rem; margin: auto; padding: 1rem 0.8rem 3rem; }
h1, h2 { line-height: 1.25; }
h1 { overflow-wrap: anywhere; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
<script type="importmap">{modules}</script>
<script type="module">import "{widget}";</script>
</head>
<body>
<script>if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.dataset.mdColorScheme = "slate";</script>
<main>
<h1>{title}</h1>
<p>Your model runs in this page, which loads nothing and sends nothing. It is one file: keep it, or open it on another device.</p>
<live-gpt model="{model}"><p>It needs JavaScript.</p></live-gpt>
<h2>Some things to try</h2>
<ul>
<li>Random letters, twice: from the second round on, does the model expect them?</li>
<li>Find the head of layer 1 whose map is a diagonal just below the main one: it looks at the token before. Switch it off. How many tokens does the model still guess?</li>
<li>Which heads of layer 2 look behind the last occurrence of the token? Switch them off, one by one, and then together.</li>
<li>Let it write with temperature 0, 1 and 2.</li>
</ul>
</main>
</body>
</html>
"""


def live_page(docs: Path, model: Path) -> str:
    """Return the page as HTML. docs: the folder docs/. model: the packed model's path. Raises OSError."""
    sheets = [(docs / "stylesheets" / f"{name}.css").read_text(encoding="utf-8") for name in SHEETS]
    modules = {name: _address("text/javascript", code.encode()) for name, code in _modules(docs / "widgets", WIDGET)}
    return PAGE.format(
        title=html.escape(model.name.removesuffix(PACKED)),
        style=STYLE + "".join(sheets),
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

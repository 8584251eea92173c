"""A hook of MkDocs: a page asks at once for the modules and the font that the browser would find out about only on the way."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

IMPORTED = re.compile(r'\bfrom "(\.[^"]+)";')


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, **_: Any
) -> None:
    """Tell the template the modules of the page's widgets, and whether the page has formulas."""
    docs = Path(config.docs_dir)
    modules = [
        module
        for module in sorted((docs / "widgets").glob("*.mjs"))
        if f"<{module.stem.replace('_', '-')} " in page.content
    ]
    for module in modules:  # what it imports comes behind, and has its turn
        modules += [one for one in imported(module) if one not in modules]
    context["modules"] = [str(module.relative_to(docs)) for module in modules]
    context["formulas"] = "<math" in page.content


def imported(module: Path) -> list[Path]:
    """Return the modules that a module imports."""
    return [
        (module.parent / path).resolve()
        for path in IMPORTED.findall(module.read_text("utf-8"))
    ]

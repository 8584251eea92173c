"""The course's name where readers see it without `course.toml`: over the README and the first page, and as the site's."""

import html
import json
import re
from pathlib import Path

HEADING = re.compile(r"\A((?:---\n.*?\n---\n)?\s*# )[^\n]+", re.DOTALL)
"""The first line of a page, behind what it says of itself."""

SITE_NAME = re.compile(r'^(site_name: (?:!ENV \[SITE_NAME, )?)(?:"[^"\n]*"|[^"\]\n]+)', re.MULTILINE)


def headed(root: Path, title: str) -> dict[Path, str]:
    """Return by path the files of a course that show its name, with this one; those that there are."""
    name = json.dumps(html.escape(title, quote=False), ensure_ascii=False)  # a string of JSON is one of YAML
    shown = {
        root / "README.md": (HEADING, title),
        root / "docs" / "index.md": (HEADING, title),
        root / "mkdocs.yml": (SITE_NAME, name),
    }
    return {path: _with(path, place, text) for path, (place, text) in shown.items() if path.is_file()}


def _with(path: Path, place: re.Pattern[str], text: str) -> str:
    return place.sub(lambda found: found[1] + text, path.read_text(encoding="utf-8"), count=1)

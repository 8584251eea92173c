"""Make a new course that has one part with one step."""

import json
from pathlib import Path
from string import Template

from autograder.course.errors import FILE

TEMPLATE = Path(__file__).resolve().parent / "templates" / "new_course"


IGNORED = ".attn/\n.venv/\n__pycache__/\n.ipynb_checkpoints/\n*.egg-info/\n"
"""The `.gitignore` of a release."""

OF_A_COURSE = (
    *(".github/", ".gitignore", "*.md", "*.toml", "*.yml", "LICENSE*", "Makefile"),
    *("course/", "docs/", "exams/", "exercises/", "solutions/", "tests/", "workbench/"),
)
"""Paths that a course keeps in git. Other files may contain students' work or a key."""


def files_of(name: str) -> dict[str, str]:
    """Return the files of a new course by path. name: becomes the course's id and title."""
    paths = (path for path in sorted(TEMPLATE.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    files = {path.relative_to(TEMPLATE).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    title = " ".join(name.replace("_", " ").replace("-", " ").split()).capitalize()
    names = {"id": json.dumps(name), "title": json.dumps(title)}  # a string of JSON is one of TOML and YAML
    filled = {file: Template(files[file]).substitute(names) for file in (FILE, "mkdocs.yml")}
    taken = "\n".join(["/*", *(f"!/{name}" for name in OF_A_COURSE)])
    return files | {".gitignore": f"{taken}\n\n{IGNORED}/docs/fonts/\n*.exam\n!/exams/*.exam\n"} | filled

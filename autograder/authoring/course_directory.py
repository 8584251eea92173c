"""Make an nbgrader course directory: its configuration and the source notebook of each part.

The metadata of a notebook have its digest and its links, so that a later run replaces only notebooks
that nobody has changed, and keeps the links.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring.notebooks import STUB, notebook_of
from autograder.exam.reference import read
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace

MADE = "attn"
"""The entry of a notebook's metadata with its digest and its site."""

CONFIG_FILE = "nbgrader_config.py"
CONFIG = '''\
"""nbgrader's settings for this course: one assignment per part, of one notebook, both under the part's name."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "{course_id}"
c.ClearSolutions.code_stub = {{"python": "{stub}"}}
c.ExecutePreprocessor.timeout = 120  # seconds a cell; a step that hangs is ended by the grader much earlier
'''


def files_of(workspace: Workspace, syllabus: Syllabus, site: str) -> dict[str, str]:
    """Return the files of a course directory by path. site: the address of the lectures, or empty."""
    files = {CONFIG_FILE: CONFIG.format(course_id=workspace.course.id, stub=STUB)}
    for part in syllabus.parts:
        notebook = notebook_of(part, site, read(workspace.solutions / f"{part.name}.py"))
        notebook.metadata[MADE] = {"digest": _digest(notebook), "site": site}
        files[f"source/{part.name}/{part.name}.ipynb"] = nbformat.writes(notebook) + "\n"
    return files


def site_of(folder: Path) -> str:
    """Return the address of the lectures in the notebooks of a course directory; empty if there is none."""
    made = (_made(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("source/*/*.ipynb")))
    return next((found["site"] for found, _ in made if found), "")


def changed_by_hand(text: str) -> bool:
    """Return whether somebody has changed a notebook's cells. To run them is no change."""
    made, notebook = _made(text)
    return made.get("digest") != _digest(notebook)


def _made(text: str) -> tuple[dict[str, Any], Any]:
    """Return the entry of a notebook's metadata, or an empty one, and the notebook."""
    try:
        notebook = json.loads(text)
        return notebook["metadata"].get(MADE, {}), notebook
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}, {}


def _digest(notebook: Any) -> str:
    """Return the digest of the sources and nbgrader's metadata of a notebook's cells."""
    cells = [
        [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("nbgrader")]
        for cell in notebook.get("cells", ())
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()

"""Make an nbgrader course directory: its configuration and the source notebook of each part.

A notebook's metadata contains a digest of its cells and the address of the lectures. A later run
replaces only notebooks whose cells still have this digest, and uses the same address.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import nbformat
from msgspec.structs import replace

from autograder.exam.reference import read
from autograder.exam.syllabus import Syllabus
from autograder.site.notebooks import STUB, notebook_of
from autograder.workspace import Workspace

MADE = "attn"
"""The key of the digest and the lectures' address in a notebook's metadata."""

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
    course = replace(workspace.course, site=site)
    files = {CONFIG_FILE: CONFIG.format(course_id=course.id, stub=STUB)}
    for part in syllabus.parts:
        notebook = notebook_of(part, course, read(workspace.solutions / f"{part.name}.py"))
        notebook.metadata[MADE] = {"digest": _digest(notebook), "site": site}
        files[f"source/{part.name}/{part.name}.ipynb"] = nbformat.writes(notebook) + "\n"
    return files


def site_of(folder: Path) -> str:
    """Return the lectures' address that a course directory's notebooks contain, or an empty string."""
    made = (_made(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("source/*/*.ipynb")))
    return next((found["site"] for found, _ in made if found), "")


def changed_by_hand(text: str) -> bool:
    """Return whether somebody has changed a notebook's cells. Running the cells does not count."""
    made, notebook = _made(text)
    return made.get("digest") != _digest(notebook)


def _made(text: str) -> tuple[dict[str, Any], Any]:
    """Parse a notebook. Return its metadata under the key MADE, or an empty dict, and the notebook."""
    try:
        notebook = json.loads(text)
        return notebook["metadata"].get(MADE, {}), notebook
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}, {}


def _digest(notebook: Any) -> str:
    """Return a digest of the type, source and nbgrader metadata of each cell."""
    cells = [
        [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("nbgrader")]
        for cell in notebook.get("cells", ())
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()

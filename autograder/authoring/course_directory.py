"""An nbgrader course directory: its configuration and the source notebook of each part."""

import nbformat

from autograder.authoring.notebooks import STUB, notebook_of
from autograder.exam.reference import read
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace

CONFIG_FILE = "nbgrader_config.py"
CONFIG = '''\
"""nbgrader's settings for this course: one assignment per part, of one notebook, both under the part's name."""

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "{course_id}"
c.ClearSolutions.code_stub = {{"python": "{stub}"}}
c.ExecutePreprocessor.timeout = 120  # seconds a cell; a step that hangs is ended by the grader much earlier
'''


def files_of(workspace: Workspace, syllabus: Syllabus, site: str) -> dict[str, str]:
    """Return the files of a course directory by path. site: where the lectures are published, empty for nowhere."""
    notebooks = {
        f"source/{part.name}/{part.name}.ipynb": notebook_of(part, read(workspace.solutions / f"{part.name}.py"), site)
        for part in syllabus.parts
    }
    config = CONFIG.format(course_id=workspace.course.id, stub=STUB)
    return {CONFIG_FILE: config} | {path: nbformat.writes(notebook) + "\n" for path, notebook in notebooks.items()}

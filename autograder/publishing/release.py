"""The course as students get it: what they write in, what they read, and as much of the grader as marking takes.

Nothing here names a file to leave out. What goes in is named, or reached by the imports of what students run.
"""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

import nbformat

from autograder.exam.reference import read
from autograder.exam.syllabus import Syllabus
from autograder.lecturing.drawn import Edition
from autograder.lecturing.running import PageFailed, filled
from autograder.publishing.notebooks import notebook_of, released
from autograder.publishing.reached import reached_modules
from autograder.workspace import Workspace

TEMPLATES = Path(__file__).resolve().parent / "templates"
STUDENTS_RUN = ("__main__.py", "jupyter/__init__.py", "pytest_plugin.py", "sitting/forker.py", "sitting/worker.py")
"""Where the grader begins on a student's machine; the parts, which are imported by name, come on top."""

PAGES = ("docs/lectures/*.md", "docs/labs/*.md", "docs/train_a_model.md", "docs/work_in_*.md")
"""What students read, filled in as text."""

TEXTS = "autograder/experiments/text/*.txt"
"""What a student's model may learn from."""

SECRETS = ("autograder/course/mistakes", "autograder/exam/setting")
COPIED = ("LICENSE", "requirements.lock", ".vscode/*.json", ".devcontainer/devcontainer.json", TEXTS)
SECTIONS = (
    "build-system",
    "project",
    "project.scripts",
    "project.entry-points.pytest11",
    "tool.setuptools.packages.find",
)
PYTEST = """
[tool.pytest.ini_options]
testpaths = ["exercises"]
addopts = "-p no:anyio -p no:jaxtyping"  # what they are for, nobody needs here, and they take a while to load
"""
IGNORED = ".attn/\n.venv/\n__pycache__/\n.ipynb_checkpoints/\n*.egg-info/\n"


def files_of(workspace: Workspace, syllabus: Syllabus, site: str) -> dict[str, bytes]:
    """Return the files of a release by path. site: where the lectures are published, empty for nowhere."""
    parts = [part.name for part in syllabus.parts]
    copied = (path for pattern in COPIED for path in sorted(workspace.root.glob(pattern)))
    paths = [workspace.syllabus, workspace.practice_exam, *copied]
    files = {path.relative_to(workspace.root).as_posix(): path.read_bytes() for path in paths}
    files |= _pages(workspace)
    files |= {f"exercises/{part.name}.py": part.stub.encode() for part in syllabus.parts}
    for part in syllabus.parts:
        notebook = released(notebook_of(part, read(workspace.solutions / f"{part.name}.py"), site))
        files[f"notebooks/{part.name}.ipynb"] = (nbformat.writes(notebook) + "\n").encode()
    files |= reached_modules([*STUDENTS_RUN, *(f"course/parts/{part}.py" for part in parts)])
    for secret in SECRETS:
        assert not any(path.startswith(secret) for path in files), f"what students run imports {secret}"
    readme = (TEMPLATES / "students_readme.md").read_text(encoding="utf-8")
    project = project_with(workspace, ("notebook",)) + PYTEST
    texts = {"README.md": readme, "pyproject.toml": project, ".gitignore": IGNORED}
    return files | {path: text.encode() for path, text in texts.items()}


def _pages(workspace: Workspace) -> dict[str, bytes]:
    """Return the pages as text that any editor shows: with their numbers, and words where the site has pictures."""
    pages = sorted(page for pattern in PAGES for page in workspace.root.glob(pattern))
    return {page.relative_to(workspace.root).as_posix(): _as_text(page).encode() for page in pages}


def _as_text(page: Path) -> str:
    try:
        return filled(page.read_text(encoding="utf-8"), Edition.TEXT)
    except PageFailed as error:
        raise PageFailed(f"{page.name}: {error}") from error


def project_with(workspace: Workspace, extras: Sequence[str]) -> str:
    """Return the project file with what is needed to install the grader, and these extras."""
    text = (workspace.root / "pyproject.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text)["project"]["optional-dependencies"]
    kept = [section for section in text.split("\n\n") if section.startswith(tuple(f"[{name}]" for name in SECTIONS))]
    lines = [f"{name} = {json.dumps(known[name])}" for name in extras]
    return "\n\n".join([*kept, "\n".join(["[project.optional-dependencies]", *lines])]) + "\n"

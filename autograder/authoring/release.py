"""The course as students get it: what they write in, what they read, and the part of the grader that marking needs.

Nothing here names a file to leave out. What goes in is named, or reached by the imports of what students run.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from importlib.metadata import files as files_of_distribution
from pathlib import Path
from string import Template

import nbformat

from autograder.authoring.imported_modules import reached_modules
from autograder.authoring.new_course import IGNORED
from autograder.authoring.notebooks import notebook_of, released
from autograder.course.broken_course import FILE, refuse
from autograder.course.course import FOR_INSTRUCTORS
from autograder.exam.reference import BEGIN, read
from autograder.exam.syllabus import Syllabus
from autograder.pages.figure import Edition
from autograder.pages.program import PageFailed, filled
from autograder.workspace import COURSE, Workspace

TEMPLATES = Path(__file__).resolve().parent / "templates"
STUDENTS_RUN = (
    "autograder/__main__.py",
    "autograder/student/jupyter/__init__.py",
    "autograder/student/pytest_plugin.py",
    "autograder/sitting/processes/forker_main.py",
    "autograder/sitting/processes/worker_main.py",
)
"""Where the grader begins on a student's machine."""

SECRETS = re.compile(
    r"autograder/exam/make_exam\.py|solutions/.*"
    rf"|course/.*/({'|'.join(map(re.escape, FOR_INSTRUCTORS))})"
    r"|(?!exams/practice\.exam$).*\.exam"
)
"""The paths of what no student may have."""

DISTRIBUTION = "attention-by-writing-it"
OF_THE_GRADER = ("LICENSE", "requirements.lock")
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
addopts = "-p no:anyio -p no:jaxtyping"  # not needed here, and slow to load
"""


def files_of(workspace: Workspace, syllabus: Syllabus, site: str) -> dict[str, bytes]:
    """Return the files of a release by path. site: where the lectures are published, empty for where the course says.

    Raises BrokenCourse where a secret would be among them, and PageFailed.
    """
    course = workspace.course
    site = site or course.site
    copied = (
        path for pattern in course.release.files for path in sorted(workspace.root.glob(pattern)) if path.is_file()
    )
    paths = [workspace.syllabus, workspace.practice_exam, *copied]
    files = {name: beside_grader(name) for name in OF_THE_GRADER}
    files |= {path.relative_to(workspace.root).as_posix(): path.read_bytes() for path in paths}
    files |= _pages(workspace)
    files |= {f"exercises/{part.name}.py": part.stub.encode() for part in syllabus.parts}
    for part in syllabus.parts:
        notebook = released(notebook_of(part, read(workspace.solutions / f"{part.name}.py"), site))
        files[f"notebooks/{part.name}.ipynb"] = (nbformat.writes(notebook) + "\n").encode()
    verbs = {f"{verb.partition(':')[0].replace('.', '/')}.py" for verb in course.verbs.values()}
    files |= with_course(workspace, [*STUDENTS_RUN, *sorted(verbs)])
    files[FILE] = _published_at(site, files[FILE].decode()).encode()
    refuse(
        f"{path} would be in a release, and gives solutions away: take it out of `[release]` in {FILE}, "
        "or out of the imports of what students run"
        for path, content in files.items()
        if SECRETS.fullmatch(path) or _holds_solutions(path, content)
    )
    readme = Template((TEMPLATES / "students_readme.md").read_text(encoding="utf-8")).substitute(
        title=course.title,
        blurb=course.blurb,
        step=syllabus.steps[0].name,
        notes=f"{course.release.notes.strip()}\n\n".lstrip(),
    )
    project = project_with(("notebook",)) + PYTEST
    texts = {"README.md": readme, "pyproject.toml": project, ".gitignore": IGNORED}
    return files | {path: text.encode() for path, text in texts.items()}


def _published_at(site: str, course: str) -> str:
    """Return the text of a course's file with the address at which `attn lecture` finds its pages."""
    if not site:
        return course
    others = re.sub(r"(?m)^site *=.*\n", "", course, count=1)
    return f"site = {json.dumps(site)}\n{others}"


def _holds_solutions(path: str, content: bytes) -> bool:
    """Tell whether this is a reference module under whatever name, or a notebook made of one."""
    return path.endswith((".py", ".ipynb")) and not path.startswith("autograder/") and BEGIN.encode() in content


def with_course(workspace: Workspace, roots: Sequence[str], without: Sequence[str] = ()) -> dict[str, bytes]:
    """Return what of a course a submission sits, and some modules of the grader with all that these need, by path."""
    course = workspace.course
    parts = [f"course/{part}/steps.py" for part in course.parts]
    relations = [f"{course.relations.replace('.', '/')}.py"] if course.relations else []
    modules = reached_modules([*roots, *parts, *relations], workspace.root, without)
    return modules | {FILE: (workspace.root / FILE).read_bytes()}


def _pages(workspace: Workspace) -> dict[str, bytes]:
    """Return the pages as text that any editor shows: with their numbers, and words where the site has pictures."""
    patterns = workspace.course.release.pages
    pages = sorted(page for pattern in patterns for page in workspace.root.glob(pattern))
    return {page.relative_to(workspace.root).as_posix(): _as_text(page).encode() for page in pages}


def _as_text(page: Path) -> str:
    try:
        return filled(page.read_text(encoding="utf-8"), Edition.TEXT)
    except PageFailed as error:
        raise PageFailed(f"{page.name}: {error}") from error


def beside_grader(name: str) -> bytes:
    """Return a file that lies beside the grader in its checkout, and that an installed grader has brought along as data."""
    if (COURSE.root / FILE).is_file():
        return (COURSE.root / name).read_bytes()
    brought = files_of_distribution(DISTRIBUTION) or []
    (path,) = (file for file in brought if file.parts[-3:] == ("share", DISTRIBUTION, name))
    return path.read_binary()


def project_with(extras: Sequence[str]) -> str:
    """Return the project file with what is needed to install the grader, and these extras."""
    text = beside_grader("pyproject.toml").decode()
    known = tomllib.loads(text)["project"]["optional-dependencies"]
    kept = [section for section in text.split("\n\n") if section.startswith(tuple(f"[{name}]" for name in SECTIONS))]
    lines = [f"{name} = {json.dumps(known[name])}" for name in extras]
    return "\n\n".join([*kept, "\n".join(["[project.optional-dependencies]", *lines])]) + "\n"

"""Make a release for students: exercises, pages, and the modules of the grader that marking needs.

A release has the files that `course.toml` names, and all modules that students' commands import.
"""

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from importlib.metadata import files as files_of_distribution
from pathlib import Path
from string import Template

import nbformat
from msgspec.structs import replace

from autograder.authoring.new_course import IGNORED
from autograder.course.course import FOR_INSTRUCTORS
from autograder.course.errors import FILE, refuse
from autograder.exam.files import exam_to_bytes, reached_modules, read_exam
from autograder.exam.model import restricted_to
from autograder.exam.reference import BEGIN
from autograder.exam.syllabus import Syllabus, load, to_json
from autograder.site.figure import Edition
from autograder.site.notebooks import notebook_of
from autograder.site.program import PageFailed, filled
from autograder.student.lecture import BUILT
from autograder.workspace import COURSE, Workspace

TEMPLATES = Path(__file__).resolve().parent / "templates"
STUDENTS_RUN = (
    "autograder/__main__.py",
    *(f"autograder/cli/{name}.py" for name in ("check", "machine", "student", "trace")),
    "autograder/student/jupyter/session.py",
    "autograder/student/pytest_plugin.py",
    "autograder/runner/server.py",
    "autograder/sandbox/launch.py",
)
"""The modules that students start. A release contains all that these modules import."""

SECRETS = re.compile(
    r"autograder/exam/build\.py|solutions/.*"
    rf"|course/.*/({'|'.join(map(re.escape, FOR_INSTRUCTORS))})"
    r"|(?!exams/practice\.exam$).*\.exam"
)
"""Matches the paths of files that no student may have."""

SOLUTION_SHOWN = b'<details class="solution"'
"""The HTML that begins a solution on a page of a built site."""

DISTRIBUTION = "attention-by-writing-it"
PROJECT, LOCK = "pyproject.toml", "requirements.lock"
OF_THE_GRADER = ("LICENSE", LOCK)
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


def files_of(workspace: Workspace, syllabus: Syllabus, site: str, built: Path | None = None) -> dict[str, bytes]:
    """Return the files of a release by path.

    syllabus: the released parts. site: the lectures' address; if empty, the course's own.
    built: the folder of a built site to include.
    Raises NotAnExam, PageFailed, and BrokenCourse if a file would reveal solutions.
    """
    course = replace(workspace.course, site=site or workspace.course.site)
    parts = [part.name for part in syllabus.parts]
    files = {name: beside_grader(name) for name in OF_THE_GRADER}
    for folder, patterns in ((TEMPLATES / "release", ("**/*",)), (workspace.root, course.release.files)):
        files |= {path: file.read_bytes() for path, file in _matching(folder, patterns)}
    files |= _pages(workspace, syllabus)
    files |= _site(built) if built else {}
    files |= {"exams/syllabus.json": to_json(syllabus).encode(), "exams/practice.exam": _practice(workspace, syllabus)}
    for part in syllabus.parts:
        files[f"exercises/{part.name}.py"] = part.stub.encode()
        files[f"notebooks/{part.name}.ipynb"] = f"{nbformat.writes(notebook_of(part, course))}\n".encode()
    verbs = {f"{verb.partition(':')[0].replace('.', '/')}.py" for verb in course.verbs.values()}
    files |= with_course(workspace, parts, [*STUDENTS_RUN, *sorted(verbs)])
    files[FILE] = course_file(files[FILE].decode(), parts, course.site).encode()
    refuse(
        f"{path} would be in a release, and gives solutions away: take it out of `[release]` in {FILE}, "
        "or out of the imports of what students run"
        for path, content in files.items()
        if SECRETS.fullmatch(path)
        or (path.endswith((".py", ".ipynb")) and not path.startswith("autograder/") and BEGIN.encode() in content)
    )
    readme = Template((TEMPLATES / "students_readme.md").read_text(encoding="utf-8")).substitute(
        title=course.title,
        blurb=course.blurb,
        step=syllabus.steps[0].name,
        notes=f"{course.release.notes.strip()}\n\n".lstrip(),
    )
    texts = {"README.md": readme, PROJECT: project_with(("notebook",)) + PYTEST, ".gitignore": IGNORED}
    return files | {path: text.encode() for path, text in texts.items()}


def course_file(text: str, parts: Collection[str], site: str) -> str:
    """Return `course.toml` with only these parts. site: replaces the file's site unless empty."""
    known = tomllib.loads(text)["parts"]
    text = re.sub(r"(?m)^parts *= *\[[^\]]*\]", lambda _: f"parts = {json.dumps([*parts])}", text)
    if others := "|".join(re.escape(name) for name in known if name not in parts):
        text = re.sub(rf'(?m)^"?({others})\b.*\n', "", text)
    return f"site = {json.dumps(site)}\n" + re.sub(r"(?m)^site *=.*\n", "", text) if site else text


def _practice(workspace: Workspace, syllabus: Syllabus) -> bytes:
    """Return the content of the practice exam, with only the steps of the syllabus."""
    exam = read_exam(workspace.practice_exam)
    if exam.syllabus == syllabus:
        return workspace.practice_exam.read_bytes()
    return exam_to_bytes(restricted_to(exam, {step.path for step in syllabus.steps}))


def with_course(
    workspace: Workspace, parts: Iterable[str], roots: Sequence[str], without: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return `course.toml`, `roots`, the parts' `steps.py` and all that these import, by path."""
    course = workspace.course
    marks = [f"{module.replace('.', '/')}.py" for module in (course.relations, course.judges) if module]
    own = [*(f"course/{part}/steps.py" for part in parts), *marks]
    modules = reached_modules([*roots, *own], workspace.root, without)
    return modules | {FILE: (workspace.root / FILE).read_bytes()}


def _pages(workspace: Workspace, syllabus: Syllabus) -> dict[str, bytes]:
    """Return the released pages as Markdown, by path. Pages that teach only other parts are left out."""
    pages = _matching(workspace.root, workspace.course.release.pages)
    of_others = _taught_on(load(workspace.syllabus)) - _taught_on(syllabus)
    return {path: _as_text(page).encode() for path, page in pages if path not in of_others}


def _site(folder: Path) -> dict[str, bytes]:
    """Return the files of a built site. Raises BrokenCourse if it shows a solution."""
    files = {path: file.read_bytes() for path, file in _matching(folder, ["**/*"])}
    refuse(
        f"{folder / name} shows solutions: build the site without them, `SOLUTIONS=false INSTRUCTORS=false mkdocs build --strict`"
        for name, content in files.items()
        if name.endswith(".html") and SOLUTION_SHOWN in content
    )
    return {f"{BUILT}/{name}": content for name, content in files.items()}


def _matching(folder: Path, patterns: Iterable[str]) -> list[tuple[str, Path]]:
    """Return the files in a folder that match any pattern, with their paths in the folder, in order."""
    files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return sorted((file.relative_to(folder).as_posix(), file) for file in files)


def _taught_on(syllabus: Syllabus) -> set[str]:
    return {step.lecture.partition("#")[0] for step in syllabus.steps}


def _as_text(page: Path) -> str:
    try:
        return filled(page.read_text(encoding="utf-8"), Edition.TEXT)
    except PageFailed as error:
        raise PageFailed(f"{page.name}: {error}") from error


def beside_grader(name: str) -> bytes:
    """Return a file of the grader's repository, or the copy that was installed with the grader."""
    if (COURSE.root / FILE).is_file():
        return (COURSE.root / name).read_bytes()
    brought = files_of_distribution(DISTRIBUTION) or []
    (path,) = (file for file in brought if file.parts[-3:] == ("share", DISTRIBUTION, name))
    return path.read_binary()


def project_with(extras: Sequence[str]) -> str:
    """Return the grader's `pyproject.toml` with only these optional dependencies."""
    text = beside_grader(PROJECT).decode()
    known = tomllib.loads(text)["project"]["optional-dependencies"]
    kept = [section for section in text.split("\n\n") if section.startswith(tuple(f"[{name}]" for name in SECTIONS))]
    lines = [f"{name} = {json.dumps(known[name])}" for name in extras]
    return "\n\n".join([*kept, "\n".join(["[project.optional-dependencies]", *lines])]) + "\n"


def zipped(files: Mapping[str, bytes], executable: Container[str] = ()) -> bytes:
    """Return a zip of files. Equal files give equal bytes. executable: the paths of programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()

"""The release: exercises, pages, and the part of the grader that marking needs.

Its files are named, or reached by the imports of what students run.
"""

import io
import json
import re
import tomllib
import zipfile
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import files as files_of_distribution
from pathlib import Path
from string import Template
from typing import Any

import nbformat

from autograder.authoring.new_course import IGNORED
from autograder.authoring.notebooks import notebook_of
from autograder.course.course import FOR_INSTRUCTORS
from autograder.course.errors import FILE, refuse
from autograder.exam.files import exam_to_bytes, reached_modules, read_exam
from autograder.exam.model import restricted_to
from autograder.exam.reference import BEGIN
from autograder.exam.syllabus import Syllabus, load, to_json
from autograder.site.figure import Edition
from autograder.site.program import PageFailed, filled
from autograder.student.lecture import BUILT
from autograder.workspace import COURSE, Workspace

TEMPLATES = Path(__file__).resolve().parent / "templates"
STUDENTS_RUN = (
    "autograder/__main__.py",
    *(f"autograder/cli/{name}.py" for name in ("check", "machine", "notebook", "shapes", "student")),
    "autograder/student/jupyter/session.py",
    "autograder/student/pytest_plugin.py",
    "autograder/runner/server.py",
)
"""The modules that a student's machine starts."""

SECRETS = re.compile(
    r"autograder/exam/build\.py|solutions/.*"
    rf"|course/.*/({'|'.join(map(re.escape, FOR_INSTRUCTORS))})"
    r"|(?!exams/practice\.exam$).*\.exam"
)
"""The paths of what no student may have."""

SOLUTION_SHOWN = b'<details class="solution"'
"""A solution on a page of a built site."""

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


def files_of(workspace: Workspace, syllabus: Syllabus, site: str, built: Path | None = None) -> dict[str, bytes]:
    """Return the files of a release by path.

    syllabus: of the released parts. site: the address of the lectures; the course's own by default.
    built: the folder of a built site, which comes along.
    Raises BrokenCourse where a secret would be among them, NotAnExam, and PageFailed.
    """
    course, parts = workspace.course, [part.name for part in syllabus.parts]
    site = site or course.site
    copied = (
        path for pattern in course.release.files for path in sorted(workspace.root.glob(pattern)) if path.is_file()
    )
    files = {name: beside_grader(name) for name in OF_THE_GRADER}
    files |= {path.relative_to(workspace.root).as_posix(): path.read_bytes() for path in copied}
    files |= _pages(workspace, syllabus)
    files |= _site(built) if built else {}
    files |= {"exams/syllabus.json": to_json(syllabus).encode(), "exams/practice.exam": _practice(workspace, syllabus)}
    files |= {f"exercises/{part.name}.py": part.stub.encode() for part in syllabus.parts}
    for part in syllabus.parts:
        files[f"notebooks/{part.name}.ipynb"] = (nbformat.writes(notebook_of(part, site)) + "\n").encode()
    verbs = {f"{verb.partition(':')[0].replace('.', '/')}.py" for verb in course.verbs.values()}
    files |= with_course(workspace, parts, [*STUDENTS_RUN, *sorted(verbs)])
    files[FILE] = course_file(files[FILE].decode(), parts, site).encode()
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


def course_file(text: str, parts: Collection[str], site: str) -> str:
    """Return `course.toml` with these parts alone and without comments. site: as of `files_of`."""
    data = tomllib.loads(text) | ({"site": site} if site else {})
    data["parts"] = [name for name in data["parts"] if name in parts]
    for table in {"steps", "due"} & data.keys():
        data[table] = {name: value for name, value in data[table].items() if name.partition(".")[0] in parts}
    tables = {name: value for name, value in data.items() if isinstance(value, dict)}
    lines = [_as_toml(name, value) for name, value in data.items() if name not in tables]
    for name, entries in tables.items():
        lines += ["", f"[{name}]", *(_as_toml(key, value) for key, value in entries.items())]
    return "\n".join(lines) + "\n"


def _as_toml(name: str, value: Any) -> str:
    return f"{json.dumps(name, ensure_ascii=False)} = {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case dict():
            return f"{{ {', '.join(_as_toml(key, one) for key, one in value.items())} }}"
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case datetime():
            return value.isoformat()
    return json.dumps(value, ensure_ascii=False)  # texts, numbers, true and false as in JSON


def _practice(workspace: Workspace, syllabus: Syllabus) -> bytes:
    """Return the practice exam on these parts: the file as it is, if that is all of them."""
    exam = read_exam(workspace.practice_exam)
    if exam.syllabus == syllabus:
        return workspace.practice_exam.read_bytes()
    return exam_to_bytes(restricted_to(exam, {step.path for step in syllabus.steps}))


def _holds_solutions(path: str, content: bytes) -> bool:
    """Return whether a file is a reference module, or a notebook of one."""
    return path.endswith((".py", ".ipynb")) and not path.startswith("autograder/") and BEGIN.encode() in content


def with_course(
    workspace: Workspace, parts: Iterable[str], roots: Sequence[str], without: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return the steps of some parts, and modules of the grader with their imports, by path."""
    modules_of_marking = filter(None, (workspace.course.relations, workspace.course.judges))
    own = [
        *(f"course/{part}/steps.py" for part in parts),
        *(f"{module.replace('.', '/')}.py" for module in modules_of_marking),
    ]
    modules = reached_modules([*roots, *own], workspace.root, without)
    return modules | {FILE: (workspace.root / FILE).read_bytes()}


def _pages(workspace: Workspace, syllabus: Syllabus) -> dict[str, bytes]:
    """Return the pages as text, without those that teach steps of other parts alone."""
    patterns = workspace.course.release.pages
    found = {
        page.relative_to(workspace.root).as_posix(): page
        for pattern in patterns
        for page in sorted(workspace.root.glob(pattern))
    }
    of_others = _taught_on(load(workspace.syllabus)) - _taught_on(syllabus)
    return {path: _as_text(page).encode() for path, page in sorted(found.items()) if path not in of_others}


def _site(folder: Path) -> dict[str, bytes]:
    """Return the files of a built site. Raises BrokenCourse if it shows a solution."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
    refuse(
        f"{folder / name} shows solutions: build the site without them, `SOLUTIONS=false INSTRUCTORS=false mkdocs build --strict`"
        for name, content in files.items()
        if name.endswith(".html") and SOLUTION_SHOWN in content
    )
    return {f"{BUILT}/{name}": content for name, content in files.items()}


def _taught_on(syllabus: Syllabus) -> set[str]:
    return {step.lecture.partition("#")[0] for step in syllabus.steps}


def _as_text(page: Path) -> str:
    try:
        return filled(page.read_text(encoding="utf-8"), Edition.TEXT)
    except PageFailed as error:
        raise PageFailed(f"{page.name}: {error}") from error


def beside_grader(name: str) -> bytes:
    """Return a file of the grader's checkout, which an installed grader has as data."""
    if (COURSE.root / FILE).is_file():
        return (COURSE.root / name).read_bytes()
    brought = files_of_distribution(DISTRIBUTION) or []
    (path,) = (file for file in brought if file.parts[-3:] == ("share", DISTRIBUTION, name))
    return path.read_binary()


def project_with(extras: Sequence[str]) -> str:
    """Return the project file of the grader with these extras alone."""
    text = beside_grader("pyproject.toml").decode()
    known = tomllib.loads(text)["project"]["optional-dependencies"]
    kept = [section for section in text.split("\n\n") if section.startswith(tuple(f"[{name}]" for name in SECTIONS))]
    lines = [f"{name} = {json.dumps(known[name])}" for name in extras]
    return "\n\n".join([*kept, "\n".join(["[project.optional-dependencies]", *lines])]) + "\n"


def zipped(files: Mapping[str, bytes], executable: Container[str] = ()) -> bytes:
    """Return a zip of files by path, always the same bytes for the same files. executable: paths of programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()

"""Make an assignment's autograder, with the exam of the class, for Gradescope or Classroom 50."""

from collections.abc import Sequence

from autograder.authoring.release import TEMPLATES, beside_grader, project_with, with_course, zipped
from autograder.workspace import Workspace

RUN = (
    "autograder/__main__.py",
    "autograder/cli/main.py",
    "autograder/cli/grade.py",
    "autograder/cli/export.py",
    "autograder/runner/server.py",
    "autograder/sandbox/launch.py",
)
NOT_NEEDED = ("autograder/exam/build.py",)
"""Modules that are left out, because they need the solutions and the known mistakes."""

EXAM = "class.exam"
README = "The grader of the course “{title}”, without its solutions.\n"
SCRIPTS = ("setup.sh", "run_autograder")


def for_gradescope(workspace: Workspace, parts: Sequence[str], exam: bytes) -> bytes:
    """Return the content of Gradescope's autograder zip. The zip contains the key.

    parts: the names of the parts of the assignment. exam: the content of the exam's file.
    """
    options = " ".join(f"--part {part}" for part in parts)
    files = {script: (TEMPLATES / "gradescope" / script).read_bytes() for script in SCRIPTS}
    files["run_autograder"] = files["run_autograder"].replace(b"PARTS=()", f"PARTS=({options})".encode())
    return zipped(files | {EXAM: exam} | _grader(workspace), SCRIPTS)


def for_classroom50(workspace: Workspace, parts: Sequence[str], exam: bytes) -> dict[str, bytes]:
    """Return an assignment's files for Classroom 50, by path. parts, exam: see `for_gradescope`."""
    folder = TEMPLATES / "classroom50"
    script = (folder / "autograder_script.py").read_bytes().replace(b"...] = ()", f"...] = {tuple(parts)!r}".encode())
    course = {f"course/{path}": content for path, content in _grader(workspace).items()}
    settings = {name: (folder / name).read_bytes() for name in ("runtime.json", "workflow.yaml")}
    return {"autograder.py": script, EXAM: exam} | settings | course


def _grader(workspace: Workspace) -> dict[str, bytes]:
    return with_course(workspace, workspace.course.parts, RUN, NOT_NEEDED) | {
        "exams/syllabus.json": workspace.syllabus.read_bytes(),
        "pyproject.toml": project_with(("sandbox",)).encode(),
        "requirements.lock": beside_grader("requirements.lock"),
        "README.md": README.format(title=workspace.course.title).encode(),
        "LICENSE": beside_grader("LICENSE"),
    }

"""The autograder zip for Gradescope: the grader without solutions, the exam of the class, and the two scripts that it runs."""

import io
import zipfile
from collections.abc import Sequence

from autograder.exam.syllabus import Syllabus
from autograder.publishing.reached import reached_modules
from autograder.publishing.release import TEMPLATES, project_with
from autograder.workspace import Workspace

RUN = ("cli/main.py", "cli/grade.py", "cli/export.py", "sitting/forker.py", "sitting/worker.py")
NOT_NEEDED = ("exam/setting.py",)
"""Setting an exam needs the solutions and the known mistakes; here one is given."""

EPOCH = (1980, 1, 1, 0, 0, 0)
SCRIPTS = ("setup.sh", "run_autograder")


def autograder_zip(workspace: Workspace, syllabus: Syllabus, parts: Sequence[str], exam: bytes) -> bytes:
    """Return the content of the zip.

    parts: the names of those that the assignment asks for. exam: the content of the exam's file; it holds the key, and so does the
    zip.
    """
    modules = reached_modules([*RUN, *(f"course/parts/{part.name}.py" for part in syllabus.parts)], NOT_NEEDED)
    options = " ".join(f"--part {part}" for part in parts)
    files = {script: (TEMPLATES / "gradescope" / script).read_bytes() for script in SCRIPTS}
    files["run_autograder"] = files["run_autograder"].replace(b"PARTS=()", f"PARTS=({options})".encode())
    files |= modules | {
        "class.exam": exam,
        "exams/syllabus.json": workspace.syllabus.read_bytes(),
        "pyproject.toml": project_with(workspace, ("sandbox",)).encode(),
        "requirements.lock": (workspace.root / "requirements.lock").read_bytes(),
        "README.md": b"The autograder of a course in attention, for Gradescope.\n",
        "LICENSE": (workspace.root / "LICENSE").read_bytes(),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, EPOCH)
            member.external_attr = (0o755 if name in SCRIPTS else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()

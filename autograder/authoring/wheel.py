"""Build a wheel of a course. It contains the grader for students, and the students' folder as a zip."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.atomic_write import write_files
from autograder.authoring.release import LOCK, PROJECT, PYTEST, zipped
from autograder.course.errors import ExplainedError
from autograder.student.start import INSTALLED


def build_wheel(files: Mapping[str, bytes], name: str, out: Path) -> Path:
    """Build a wheel from the files of a release, and return its path. Raises ExplainedError.

    name: the name of the distribution. out: the folder for the wheel.
    """
    grader = f"{INSTALLED.parent.name}/"
    package = {path: content for path, content in files.items() if path.startswith(grader)}
    installs = (LOCK, ".devcontainer/", "binder/")  # files that install the grader from a release
    folder = {path: content for path, content in files.items() if not path.startswith((grader, *installs))}
    project = re.sub("(?m)^name = .*", f"name = {json.dumps(name)}", files[PROJECT].decode(), count=1)
    sources = package | {path: files[path] for path in ("LICENSE", "README.md")}
    sources[PROJECT] = f'{project}\n[tool.setuptools.package-data]\nautograder = ["{INSTALLED.name}"]\n'.encode()
    sources[f"autograder/{INSTALLED.name}"] = zipped(folder | {PROJECT: PYTEST.lstrip().encode()})
    with TemporaryDirectory() as place:
        write_files(Path(place), sources)
        pip = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps"]
        done = subprocess.run(
            [*pip, "--wheel-dir", f"{place}/dist", place], capture_output=True, text=True, check=False
        )
        if not (made := [*Path(place, "dist").glob("*.whl")]):
            raise ExplainedError(f"pip could not build the wheel:\n{done.stderr.strip()}")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(made[0], out))

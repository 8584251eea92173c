"""Mark one submission in Classroom 50. This folder belongs into CLASSROOM/autograders/ASSIGNMENT/.

The runner calls this in the student's checkout and takes `result.json` from there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS: tuple[str, ...] = ()
"""The parts that this assignment is about; those that are missing count 0."""

FOLDER = "exercises"
"""Their folder in the student's repository."""

SANDBOX = "kernel"
"""GitHub's machines refuse the namespaces of `full` to programs that are not root."""

BUNDLE = Path(__file__).resolve().parent
COURSE = BUNDLE / "course"
NEEDS_A_LOOK = 3


def main() -> None:
    """Install what marking needs, mark the submission as a class of one, write its result."""
    run("-m", "pip", "install", "--quiet", "-c", COURSE / "requirements.lock", f"{COURSE}[sandbox]")
    parts = [word for part in PARTS for word in ("--part", part)]
    with tempfile.TemporaryDirectory() as place:
        folder, results = Path(place, "class"), Path(place, "results")
        hand_in(folder / os.environ["OWNER"])
        exam = BUNDLE / "class.exam"
        attn("grade", folder, "--out", results, "--exam", exam, "--sandbox", SANDBOX, "--jobs", "1", *parts)
        attn("export", results, "--format", "classroom50", "--out", Path.cwd() / "result.json", *parts)


def hand_in(submission: Path) -> None:
    """Copy the student's folder, links as links: the grader refuses those that lead elsewhere."""
    if Path(FOLDER).is_dir():
        shutil.copytree(FOLDER, submission, symlinks=True)
    else:
        submission.mkdir(parents=True)


def attn(*words: str | Path) -> None:
    """Run the command in the course's folder, where no module of the student is imported."""
    run("-c", "from autograder.cli.main import main; main()", *words)


def run(*words: str | Path) -> None:
    """Run Python. A failure is no error of the student: exit with its code."""
    done = subprocess.run([sys.executable, *words], cwd=COURSE, check=False)
    if done.returncode not in (0, NEEDS_A_LOOK):
        sys.exit(done.returncode)


main()

"""Mark one submission in Classroom 50. Put this folder into CLASSROOM/autograders/ASSIGNMENT/.

Classroom 50 starts this script in the student's checkout, and reads `result.json` from there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS: tuple[str, ...] = ()
"""The parts of this assignment. A part that the student has not submitted counts 0."""

FOLDER = "exercises"
"""The folder of the parts in the student's repository."""

SANDBOX = "kernel"
"""The sandbox's level. `full` needs namespaces, which GitHub's machines allow only to root."""

BUNDLE = Path(__file__).resolve().parent
COURSE = BUNDLE / "course"
NEEDS_A_LOOK = 3


def main() -> None:
    """Install the grader, mark the submission as a class of one student, and write the result."""
    run("-m", "pip", "install", "--quiet", "-c", COURSE / "requirements.lock", f"{COURSE}[sandbox]")
    parts = [word for part in PARTS for word in ("--part", part)]
    with tempfile.TemporaryDirectory() as place:
        folder, results = Path(place, "class"), Path(place, "results")
        hand_in(folder / os.environ["OWNER"])
        exam = BUNDLE / "class.exam"
        attn("grade", folder, "--out", results, "--exam", exam, "--sandbox", SANDBOX, "--jobs", "1", *parts)
        attn("export", results, "--format", "classroom50", "--out", Path.cwd() / "result.json", *parts)


def hand_in(submission: Path) -> None:
    """Copy the student's folder. Links stay links: the grader refuses links that lead out of the folder."""
    if Path(FOLDER).is_dir():
        shutil.copytree(FOLDER, submission, symlinks=True)
    else:
        submission.mkdir(parents=True)


def attn(*words: str | Path) -> None:
    """Run `attn` in the course's folder, so that it cannot import the student's modules."""
    run("-c", "from autograder.cli.main import main; main()", *words)


def run(*words: str | Path) -> None:
    """Run Python. If Python fails, exit with its code, before a result of the student is written."""
    done = subprocess.run([sys.executable, *words], cwd=COURSE, check=False)
    if done.returncode not in (0, NEEDS_A_LOOK):
        sys.exit(done.returncode)


main()

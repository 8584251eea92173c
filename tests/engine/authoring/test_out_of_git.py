"""What git takes of a course is the course, and nothing of what instructors make beside it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from autograder.authoring.new_course import files_of
from autograder.workspace import Workspace

BESIDE = (
    *("class/ada/part1.py", "hw1/bob/part1.py", "class/.gitignore", "submissions.zip", "people.csv", "autumn.exam"),
    *("autumn/class.exam", "autumn/gradebook.db", "autumn/submitted/ada/part1/part1.ipynb", "autumn/feedback/ada.html"),
    *("results/marks/ada.json", "report.html", "report_students/ada.html", "similar.html", "grades.csv", "canvas.csv"),
    *("moodle.csv", "junit.xml", "gradescope/ada.json", "autograder.zip", "bundle/autograder.py", "students/README.md"),
    *("week1/README.md", "notebooks/part1.ipynb", "site/index.html", "exams/other/class.exam"),
)


def git(folder: Path, *words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def taken(folder: Path) -> set[str]:
    git(folder, "init", "-q")
    return set(git(folder, "ls-files", "--others", "--exclude-standard"))


def test_git_takes_all_of_this_course_and_nothing_beside_it(course: Workspace, tmp_path: Path) -> None:
    kept = git(course.root, "ls-files")
    write(tmp_path, dict.fromkeys([*kept, *BESIDE], ""))
    shutil.copy(course.root / ".gitignore", tmp_path)

    assert taken(tmp_path) == set(kept)


def test_git_takes_all_of_a_course_of_ones_own_and_nothing_beside_it(tmp_path: Path) -> None:
    more = ("README.md", "pyproject.toml", "exams/practice.exam", "exercises/part1.py", ".github/workflows/site.yml")
    kept = {**dict.fromkeys(more, ""), **files_of("own")}
    write(tmp_path, dict.fromkeys(BESIDE, "") | kept)

    assert taken(tmp_path) == set(kept)


@pytest.mark.parametrize("name", ["class", "a class of ours"])
def test_a_class_folder_made_by_hand_is_taken_under_no_name(course: Workspace, tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{name}/ada/part1_simplified.py": ""})
    shutil.copy(course.root / ".gitignore", tmp_path)

    assert taken(tmp_path) == {".gitignore"}

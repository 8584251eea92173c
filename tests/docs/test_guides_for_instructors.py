"""Whoever follows the guides for instructors, line by line, gets what they promise."""

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from built_site import free_port
from course_copy import copy_course
from session import run_session, scripts_of

from autograder.workspace import Workspace

SHOWN = re.compile(r'^```csv title="([^"\n]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def new_checkout(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Make a copy of all that a checkout holds, with fresh stubs."""

    def make() -> Path:
        folder = copy_course(course.root, tmp_path_factory.mktemp("checkout")).root
        for name in (".gitignore", "LICENSE", "README.md", "mkdocs.yml", "pyproject.toml", "requirements.lock"):
            shutil.copy(course.root / name, folder)
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        return folder

    return make


@pytest.fixture
def checkout(new_checkout: Callable[[], Path]) -> Path:
    return new_checkout()


@pytest.fixture(scope="module")
def marked(new_checkout: Callable[[], Path]) -> tuple[Path, str]:
    """A checkout in which somebody has followed the guide on a class, and what was printed."""
    folder = new_checkout()
    return folder, follow(folder, "mark_a_class.md")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def added(folder: Path) -> list[str]:
    """Return the new files that `git add -A` would take."""
    return git(folder, "ls-files", "--others", "--exclude-standard").splitlines()


def follow(checkout: Path, page: str) -> str:
    """Run the lines of a guide in a checkout, one block after the other; return what they printed.

    What the guide shows of other programs' files is there before.
    """
    text = (checkout / "docs" / page).read_text(encoding="utf-8")
    for name, shown in SHOWN.findall(text):
        (checkout / name).write_text(shown, encoding="utf-8")
    script = "\n".join(scripts_of(text))
    return run_session(checkout, script.replace("8786", str(free_port())))


def scores(results: Path) -> dict[str, float]:
    found = [json.loads(path.read_bytes()) for path in (results / "marks").glob("*.json")]
    return {marks["submission"]: marks["score"] for marks in found}


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.system
def test_following_the_guide_on_a_class_marks_it(marked: tuple[Path, str]) -> None:
    checkout, told = marked

    assert scores(checkout / "results") == {"ada": 50.0, "bob": 0.0}
    assert scores(checkout / "autumn") == {"ada": 50.0, "bob": 0.0}
    assert "sandbox full     there" in told


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.system
def test_following_the_reference_on_a_cluster_marks_a_class(checkout: Path) -> None:
    for student in ("ada", "bob"):
        (checkout / "class" / student).mkdir(parents=True)
        shutil.copy(checkout / "solutions" / "part1_simplified.py", checkout / "class" / student)

    follow(checkout, "reference/commands_for_instructors.md")

    assert scores(checkout / "results") == {"ada": 25.0, "bob": 25.0}


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.system
def test_following_the_guides_to_a_marked_class_publishes_it(marked: tuple[Path, str]) -> None:
    """The guides on grades and on the gradebook go on where the one on a class ends."""
    checkout, _ = marked
    follow(checkout, "publish_grades.md")
    late = follow(checkout, "keep_a_gradebook.md")

    assert (checkout / "grades.csv").read_text(encoding="utf-8").count("\n") > 2
    assert '"Lovelace, Ada",101,ada,Section 1,25,25' in (checkout / "canvas.csv").read_text(encoding="utf-8")
    assert json.loads((checkout / "gradescope" / "ada.json").read_bytes())["score"] == 50
    assert {"setup.sh", "run_autograder"} <= set(zipfile.ZipFile(checkout / "autograder.zip").namelist())
    assert (checkout / "bundle" / "autograder.py").is_file()
    assert "ada" in (checkout / "report.html").read_text(encoding="utf-8")
    assert {path.stem for path in (checkout / "report_students").glob("*.html")} == {"ada", "bob"}
    assert "Late: 1" in late
    assert added(checkout) == []


@pytest.mark.slow
@pytest.mark.world
@pytest.mark.system
def test_following_the_guide_to_a_course_goes_from_release_to_grades_and_a_site(checkout: Path) -> None:
    with zipfile.ZipFile(checkout / "submissions.zip", "w") as downloaded:
        downloaded.write(
            checkout / "solutions" / "part1_simplified.py", "Bob Test_7002_assignsubmission_file_/part1_simplified.py"
        )

    told = follow(checkout, "teach_the_course.md")

    assert "The course is sound." in told
    assert (checkout / "students" / "exercises" / "part1_simplified.py").is_file()
    assert (checkout / "autumn" / "release" / "part1_simplified" / "part1_simplified.ipynb").is_file()
    assert scores(checkout / "results") == {"Bob Test": 25.0}
    assert scores(checkout / "autumn" / "results") == {"ada": 0.0}
    assert "Late: 1" in told
    assert told.count("0 of 1 students' marks changed") == 2
    assert "Bob Test" in (checkout / "grades.csv").read_text(encoding="utf-8")
    assert {path.stem for path in (checkout / "report_students").glob("*.html")} == {"Bob Test"}
    assert (checkout / "autumn" / "feedback" / "ada" / "part1_simplified" / "part1_simplified.html").is_file()
    assert "ada" in (checkout / "autumn" / "grades.csv").read_text(encoding="utf-8")
    page = (checkout / "site" / "lectures" / "scaling" / "index.html").read_text(encoding="utf-8")
    assert "Attention, autumn 2026" in page
    assert 'href="https://attention.example.edu/lectures/scaling/"' in page
    assert added(checkout) == []

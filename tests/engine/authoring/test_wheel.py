"""The wheel of the course: it installs without a checkout, starts a student's folder, marks, and gives nothing away."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from environments import install_into, run_program
from secrets_of import lines_of_solutions, squeezed

from autograder.authoring.release import files_of
from autograder.authoring.wheel import build_wheel
from autograder.exam.model import Exam
from autograder.workspace import Workspace

pytestmark = pytest.mark.world

LARGEST = 10_000_000


@pytest.fixture(scope="module")
def wheel(course: Workspace, practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = files_of(course, practice.syllabus, site="https://example.org/course/")
    return build_wheel(files, course.course.release.wheel, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def attn(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an environment that has the wheel, and the libraries that are installed here."""
    made = tmp_path_factory.mktemp("installed") / "environment"
    install_into(made, wheel)
    return made / "bin" / "attn"


@pytest.fixture(scope="module")
def started(attn: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("student")
    done = run_program(folder, attn, "start")
    assert done.stdout == "Your course is in attention.\n    cd attention\n    attn\n"
    return folder / "attention"


def test_it_is_small_and_holds_no_solution(wheel: Path, course: Workspace, practice: Exam) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(BytesIO(files["autograder/course.zip"])) as archive:
        files |= {name: archive.read(name) for name in archive.namelist()}
    text = squeezed("\n".join(content.decode("utf-8", "replace") for content in files.values()))

    assert wheel.stat().st_size < LARGEST
    assert [line for line in lines_of_solutions(course, practice.syllabus) if line in text] == []
    assert not {"mistakes.py", "alternatives.py"} & {Path(name).name for name in files}


def test_a_started_folder_marks_what_a_student_writes(attn: Path, started: Path, course: Workspace) -> None:
    begun = run_program(started, attn)
    marked = run_program(started, attn, "check", "--from", course.solutions)

    assert "Next: part1_simplified.dot_product in exercises/part1_simplified.py" in begun.stdout
    assert marked.returncode == 0, marked.stdout + marked.stderr


def test_a_newer_wheel_is_taken_into_the_folder(attn: Path, started: Path) -> None:
    page = started / "docs" / "lectures" / "why_attention.md"
    page.write_text("earlier", encoding="utf-8")
    updated = run_program(started, attn, "update")

    assert updated.returncode == 0, updated.stderr
    assert page.read_text(encoding="utf-8") != "earlier"


CELLS = ("%load_ext autograder", "def dot_product(a, b):\n    return (a * b).sum()", "check('dot_product')")
SHELL = "from IPython.core.interactiveshell import InteractiveShell as Shell\nshell = Shell.instance()"


def test_a_notebook_in_an_empty_folder_is_marked(attn: Path, tmp_path: Path) -> None:
    script = "\n".join([SHELL, *(f"shell.run_cell({cell!r}, store_history=True)" for cell in CELLS)])
    marked = run_program(tmp_path, attn.parent / "python", "-c", script)

    assert "The next step: part1_simplified.dot_product" in marked.stdout, marked.stdout + marked.stderr
    assert "✓ dot_product" in marked.stdout
    assert (tmp_path / ".attn" / "course" / "course.toml").is_file()

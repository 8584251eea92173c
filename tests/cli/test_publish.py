"""`attn notebooks`, `attn release` and `attn autograder`: what is made where, and what is refused."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import attn_process as attn_in

from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(course: Workspace) -> Run:
    return lambda *arguments: attn_in(course, *map(str, arguments))


def test_a_course_directory_has_an_exam_that_others_cannot_read(run: Run, tmp_path: Path) -> None:
    done = run("notebooks", "--out", tmp_path / "course")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "course" / "class.exam").stat().st_mode & 0o077 == 0


def test_a_second_run_keeps_the_exam(run: Run, tmp_path: Path) -> None:
    run("notebooks", "--out", tmp_path)
    exam = (tmp_path / "class.exam").read_bytes()

    assert run("notebooks", "--out", tmp_path).returncode == 0
    assert (tmp_path / "class.exam").read_bytes() == exam


def test_an_exam_of_ones_own_becomes_that_of_the_hidden_tests(run: Run, class_exam: Path, tmp_path: Path) -> None:
    run("notebooks", "--out", tmp_path, "--exam", class_exam)

    assert (tmp_path / "class.exam").read_bytes() == class_exam.read_bytes()


def test_another_exam_does_not_replace_that_of_the_hidden_tests(run: Run, class_exam: Path, tmp_path: Path) -> None:
    run("notebooks", "--out", tmp_path)
    exam = (tmp_path / "class.exam").read_bytes()

    done = run("notebooks", "--out", tmp_path, "--exam", class_exam)

    assert done.returncode == 2
    assert "is another exam: move it away first" in done.stderr
    assert (tmp_path / "class.exam").read_bytes() == exam


@pytest.mark.parametrize("verb", [("notebooks",), ("autograder", "--for", "gradescope")])
def test_the_practice_exam_is_refused(run: Run, course: Workspace, tmp_path: Path, verb: tuple[str, ...]) -> None:
    done = run(*verb, "--out", tmp_path / "made.zip", "--exam", course.practice_exam)

    assert done.returncode == 2
    assert "is the practice exam: students have its key" in done.stderr


@pytest.mark.parametrize("verb", ["notebooks", "release"])
def test_a_place_that_cannot_be_written_is_told(run: Run, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").write_text("")

    done = run(verb, "--out", tmp_path / "file" / "course")

    assert done.returncode == 2
    assert "could not be written" in done.stderr or "Not a directory" in done.stderr


def test_a_release_is_refused_while_something_has_drifted(copy: Workspace, tmp_path: Path) -> None:
    copy.exercise("part1_simplified").write_text("# mine\n", encoding="utf-8")

    done = attn_in(copy, "release", "--out", str(tmp_path / "release"))

    assert done.returncode == 1
    assert "`attn sync` first, then release" in done.stderr
    assert not (tmp_path / "release").exists()


def test_where_the_solutions_are_not_included_nothing_is_made(copy: Workspace, tmp_path: Path) -> None:
    copy.solutions.rename(tmp_path / "away")

    for verb in ("notebooks", "release"):
        done = attn_in(copy, verb, "--out", str(tmp_path / "made"))
        assert done.returncode == 2
        assert "this needs solutions/" in done.stderr


def test_an_autograder_is_written_into_an_empty_folder_only(run: Run, class_exam: Path, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "mine").write_text("")

    done = run("autograder", "--for", "classroom50", "--exam", class_exam, "--out", tmp_path / "bundle")

    assert done.returncode == 2
    assert "is not empty" in done.stderr


def test_an_autograder_says_which_parts_it_marks(run: Run, class_exam: Path, tmp_path: Path) -> None:
    options = ("--for", "gradescope", "--exam", class_exam, "--part", "2", "--part", "part1_simplified")

    done = run("autograder", *options, "--out", tmp_path / "autograder.zip")

    assert done.returncode == 0, done.stderr
    assert "marks part1_simplified, part2_trainable" in done.stdout


def test_forcing_replaces_changed_notebooks_moves_them_away_and_leaves_the_settings(run: Run, tmp_path: Path) -> None:
    run("notebooks", "--out", tmp_path)
    notebook = tmp_path / "source" / "part1_simplified" / "part1_simplified.ipynb"
    settings = tmp_path / "nbgrader_config.py"
    original = notebook.read_text()
    notebook.write_text(original.replace("Step 1", "First step"))
    settings.write_text("# mine\n")

    done = run("notebooks", "--out", tmp_path, "--force")

    assert done.returncode == 0
    assert notebook.read_text() == original
    assert "First step" in (tmp_path / "replaced" / notebook.name).read_text()
    assert [path.name for path in notebook.parent.iterdir()] == [notebook.name]  # nbgrader hands out what lies there
    assert settings.read_text() == "# mine\n"
    assert str(tmp_path / "replaced" / notebook.name) in done.stdout


@pytest.mark.parametrize("verb", ["notebooks", "release"])
@pytest.mark.parametrize("site", ["lectures.example.edu", "https://", "https://lectures.example.edu/?a#b"])
def test_a_site_that_is_no_address_is_refused(run: Run, tmp_path: Path, verb: str, site: str) -> None:
    done = run(verb, "--out", tmp_path / "made", "--site", site)

    assert done.returncode == 2
    assert "an address that begins with https:// was expected" in done.stderr


def test_a_zip_is_called_one(run: Run, class_exam: Path, tmp_path: Path) -> None:
    done = run("autograder", "--for", "gradescope", "--exam", class_exam, "--out", tmp_path / "folder")

    assert done.returncode == 2
    assert "a name that ends in .zip" in done.stderr


def test_an_exam_that_is_there_is_not_replaced(run: Run, class_exam: Path) -> None:
    before = class_exam.read_bytes()
    done = run("exam", "--seed", "9", "--out", class_exam)

    assert done.returncode == 2
    assert "is there already" in done.stderr
    assert class_exam.read_bytes() == before

"""`attn release`: what is made where for students, nbgrader, Gradescope and Classroom 50, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run, attn_in
from small_class import set_exams_here
from tiny_course import NAME, TinyCourse, laid

from autograder.exam.files import write_exam
from autograder.workspace import Workspace

Attn = Callable[..., Run]


@pytest.fixture
def tiny(tiny_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyCourse:
    """A course of two steps with all that is made from it; exams are set in this process."""
    set_exams_here(monkeypatch)
    return laid(tiny_template, tmp_path / "checkout")


@pytest.fixture
def run(tiny: TinyCourse) -> Attn:
    return lambda *arguments: attn_in(tiny.workspace, *map(str, arguments))


@pytest.fixture
def own_exam(tiny: TinyCourse, tmp_path: Path) -> Path:
    """An exam of the tiny course that somebody has set."""
    write_exam(tiny.build_exam(seed=4), tmp_path / "own.exam")
    return tmp_path / "own.exam"


# attn release --for nbgrader


def test_a_course_directory_has_an_exam_that_others_cannot_read(run: Attn, tmp_path: Path) -> None:
    done = run("release", "--for", "nbgrader", "--out", tmp_path / "course")

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "course" / "class.exam").stat().st_mode & 0o077 == 0


def test_another_exam_does_not_replace_that_of_the_hidden_tests(run: Attn, own_exam: Path, tmp_path: Path) -> None:
    run("release", "--for", "nbgrader", "--out", tmp_path)
    exam = (tmp_path / "class.exam").read_bytes()

    done = run("release", "--for", "nbgrader", "--out", tmp_path, "--exam", own_exam)

    assert done.returncode == 2
    assert "is another exam: move it away first" in done.stderr
    assert (tmp_path / "class.exam").read_bytes() == exam


def test_forcing_replaces_changed_notebooks_moves_them_away_and_leaves_the_settings(run: Attn, tmp_path: Path) -> None:
    run("release", "--for", "nbgrader", "--out", tmp_path)
    notebook = tmp_path / "source" / NAME / f"{NAME}.ipynb"
    settings = tmp_path / "nbgrader_config.py"
    original = notebook.read_text()
    notebook.write_text(original.replace("Step 1", "First step"))
    settings.write_text("# mine\n")

    done = run("release", "--for", "nbgrader", "--out", tmp_path, "--force")

    assert done.returncode == 0
    assert notebook.read_text() == original
    assert "First step" in (tmp_path / "replaced" / notebook.name).read_text()
    assert [path.name for path in notebook.parent.iterdir()] == [notebook.name]  # nbgrader hands out what lies there
    assert settings.read_text() == "# mine\n"
    assert f"{notebook}, changed by hand, is replaced; as it was: {tmp_path / 'replaced'}" in done.stdout


# attn release --for nbgrader and attn release


def test_a_release_is_refused_while_something_has_drifted(tiny: TinyCourse, run: Attn, tmp_path: Path) -> None:
    tiny.exercise.write_text("# mine\n", encoding="utf-8")

    done = run("release", "--out", tmp_path / "release")

    assert done.returncode == 1
    assert "`attn build` first, then release" in done.stderr
    assert not (tmp_path / "release").exists()


# attn release --for gradescope, on the real course: it is made from the whole package


@pytest.fixture
def autograder(course: Workspace) -> Attn:
    return lambda place, *arguments: attn_in(course, "release", "--for", place, *map(str, arguments))


def test_an_autograder_says_which_parts_it_marks(autograder: Attn, class_exam: Path, tmp_path: Path) -> None:
    parts = ("--part", "2", "--part", "part1_simplified")

    done = autograder("gradescope", "--exam", class_exam, *parts, "--out", tmp_path / "autograder.zip")

    assert done.returncode == 0, done.stderr
    assert "marks part1_simplified, part2_trainable" in done.stdout
    assert (tmp_path / "autograder.zip").is_file()


def test_the_practice_exam_is_refused_for_an_autograder(autograder: Attn, course: Workspace, tmp_path: Path) -> None:
    done = autograder("gradescope", "--exam", course.practice_exam, "--out", tmp_path / "made.zip")

    assert done.returncode == 2
    assert "is the practice exam: students have its key" in done.stderr


def test_the_practice_exam_is_refused_for_hidden_tests(tiny: TinyCourse, run: Attn, tmp_path: Path) -> None:
    done = run("release", "--for", "nbgrader", "--exam", tiny.workspace.practice_exam, "--out", tmp_path / "made")

    assert done.returncode == 2
    assert "is the practice exam: students have its key" in done.stderr

"""A course of another topic, in a folder of its own beside the grader: every verb works on it, and nothing speaks of attention."""

import re
import shutil
from pathlib import Path

import pytest
from command import Run, attn_in, attn_process
from once import made_once

from autograder.workspace import Workspace

FOLDER = Path(__file__).parent / "convolution"
FOREIGN = re.compile(r"attention|\bheads?\b|\bsentences?\b|\btokens?\b|W_query|part1_simplified|softmax", re.IGNORECASE)
"""What is said of attention alone."""

WRONG = {
    "part1_convolution": ("(covered * kernel).sum()", "(covered * kernel).mean()"),
    "part2_network": ("x.clamp(min=0)", "x.abs()"),
}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with all that is made from it."""

    def make(folder: Path) -> None:
        shutil.copytree(FOLDER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        done = attn_in(Workspace(folder), "sync")
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "convolution", make)


@pytest.fixture
def course(made: Path, tmp_path: Path) -> Workspace:
    """A copy of it, to write in."""
    return Workspace(shutil.copytree(made, tmp_path / "course"))


@pytest.fixture
def wrong(course: Workspace) -> Workspace:
    """The course, solved but for one mistake a part."""
    for part, (right, mistaken) in WRONG.items():
        text = (course.solutions / f"{part}.py").read_text(encoding="utf-8")
        assert text.count(right) >= 1
        course.exercise(part).write_text(text.replace(right, mistaken), encoding="utf-8")
    return course


def said(run: Run) -> str:
    """Return all that a command has said, which is not about attention."""
    text = run.stdout + run.stderr
    assert not FOREIGN.search(text), text
    return text


def test_the_help_is_that_of_the_course(course: Workspace) -> None:
    shown = said(attn_in(course, "--help"))

    assert "Convolution by writing it." in shown
    assert "train" not in shown


def test_the_solutions_have_all_points(course: Workspace) -> None:
    assert "40 of 40 points" in said(attn_in(course, "check", "--from", "solutions"))


def test_a_known_mistake_is_named(wrong: Workspace) -> None:
    checked = said(attn_in(wrong, "check"))

    assert "You take the mean of the products." in checked
    assert attn_in(wrong, "check").returncode == 1


@pytest.mark.parametrize("verb", [("list",), ("show", "convolve"), ("hint", "Conv2d"), ("shapes", "convolve")])
def test_what_is_said_of_a_step_is_about_convolutions(wrong: Workspace, verb: tuple[str, ...]) -> None:
    assert said(attn_in(wrong, *verb))


def test_one_part_cannot_be_found_by_the_name_of_another_course_s(course: Workspace) -> None:
    run = attn_in(course, "check", "part3_causal")

    assert run.returncode == 2
    assert "There is no part or step `part3_causal`." in run.stderr


def test_a_release_is_a_course_that_marks_itself(course: Workspace, tmp_path: Path) -> None:
    released = tmp_path / "released"
    assert attn_in(course, "release", "--out", str(released)).returncode == 0

    given = {path.relative_to(released).as_posix() for path in released.rglob("*") if path.is_file()}
    own = {path for path in given if not path.startswith("autograder/")}
    assert not [path for path in given if re.search("mistakes|alternatives|equivalent|solutions", path)]
    assert {"course.toml", "course/part1_convolution/steps.py", "course/convolution/pictures.py"} <= own
    assert "0 of 40 points" in said(attn_in(Workspace(released), "check"))


def test_notebooks_are_made_of_it(course: Workspace, tmp_path: Path) -> None:
    made = tmp_path / "nbgrader"
    assert attn_in(course, "notebooks", "--out", str(made)).returncode == 0

    assert 'course_id = "convolution"' in (made / "nbgrader_config.py").read_text(encoding="utf-8")
    assert (made / "source" / "part2_network" / "part2_network.ipynb").is_file()


@pytest.mark.slow
def test_the_course_is_sound(course: Workspace) -> None:
    assert "The course is sound." in said(attn_in(course, "verify"))


@pytest.mark.slow
def test_a_class_is_marked_in_the_full_sandbox(course: Workspace, tmp_path: Path) -> None:
    """As a process, whose sandbox shows this course in place of the one that the tests' warm processes know."""
    class_of = {"ada": "solutions", "eve": "exercises"}
    for student, folder in class_of.items():
        shutil.copytree(course.root / folder, tmp_path / "class" / student, ignore=shutil.ignore_patterns("ruff.toml"))
    (tmp_path / "class" / "mallory").mkdir()
    (tmp_path / "class" / "mallory" / "part1_convolution.py").write_text(SPY.format(root=course.root), encoding="utf-8")

    run = attn_process(course, "grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"))

    assert run.returncode == 0, said(run)
    rows = (tmp_path / "out" / "summary.csv").read_text(encoding="utf-8").splitlines()
    points = {row.split(",")[0]: row for row in rows}
    assert ",40" in points["ada"]
    assert "hidden hidden hidden hidden" in next((tmp_path / "out" / "marks").glob("mallory*")).read_text(
        encoding="utf-8"
    )


SPY = """
from pathlib import Path

ROOT = Path("{root}")
SECRETS = ("course/part1_convolution/mistakes.py", "course/part1_convolution/alternatives.py",
           "solutions/part1_convolution.py", "exams/practice.exam")


def seen(path):
    try:
        (ROOT / path).read_bytes()
    except OSError:
        return "hidden"
    return "seen"


def cross_correlate(image, kernel):
    raise ValueError(" ".join(map(seen, SECRETS)))
"""

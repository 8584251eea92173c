"""The pages of the labs: they keep to what lectures keep to, and each command on them runs."""

from pathlib import Path

import pytest
from course_copy import copy_course
from secrets_of import lines_of_solutions, squeezed
from session import run_session, scripts_of

from autograder.exam.model import Exam
from autograder.workspace import COURSE, Workspace

PAGES = sorted((COURSE.root / "docs" / "labs").glob("*.md"))
EXPERIMENTS = sorted((COURSE.root / "workbench" / "labs").glob("*.py"))
COMMANDS = sorted(
    {line for page in PAGES for script in scripts_of(page.read_text("utf-8")) for line in script.splitlines()}
)


@pytest.fixture(scope="module")
def solved(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course whose exercises are solved."""
    workspace = copy_course(course.root, tmp_path_factory.mktemp("labs") / "course")
    for part in workspace.exercises.glob("*.py"):
        part.write_text((workspace.solutions / part.name).read_text(encoding="utf-8"), encoding="utf-8")
    return workspace.root


@pytest.mark.world
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_pages_runs(solved: Path, command: str) -> None:
    assert " 64 tokens" in " ".join(run_session(solved, f"{command} --longest 64").split())


def test_each_lab_has_a_page_with_its_command(course: Workspace) -> None:
    from workbench.labs import LABS

    commands = {page.stem.replace("_", "-"): page.read_text(encoding="utf-8") for page in PAGES if page.stem != "index"}

    assert set(commands) == set(LABS)
    assert [name for name, text in commands.items() if f"```sh\nattn lab {name}\n```" not in text] == []


@pytest.mark.parametrize("path", [*PAGES, *EXPERIMENTS], ids=lambda path: path.name)
def test_no_line_of_a_solution_stands_in_a_lab(path: Path, course: Workspace, practice: Exam) -> None:
    text = squeezed(path.read_text(encoding="utf-8"))

    assert [line for line in lines_of_solutions(course, practice.syllabus) if line in text] == []

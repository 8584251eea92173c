"""The README shows what the commands print; its other commands work as they stand."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import attn_in
from transcript import play

from autograder.workspace import Workspace

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINES = re.compile(r"^```(?:sh|bat)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.slow
def test_transcripts_are_what_the_commands_print(course: Workspace, fresh_copy: Callable[[], Workspace]) -> None:
    page = (course.root / "README.md").read_text(encoding="utf-8")

    def run(command: str, workspace: Workspace) -> str:
        _, *words = command.split()
        done = attn_in(workspace, *words, COLUMNS="80")
        return done.stdout + done.stderr

    played = list(play(page, fresh_copy, run))

    assert len(played) == 3
    assert [one.shown for one in played] == [one.printed for one in played]


@pytest.mark.world
def test_transcripts_are_what_the_commands_print_as_processes(
    course: Workspace, fresh_copy: Callable[[], Workspace]
) -> None:
    page = (course.root / "README.md").read_text(encoding="utf-8")

    played = list(play(page, fresh_copy))

    assert [one.shown for one in played] == [one.printed for one in played]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_links_to_exists(course: Workspace, page: str) -> None:
    path = course.root / page
    missing = [link for link in LINK.findall(path.read_text(encoding="utf-8")) if not (path.parent / link).exists()]

    assert missing == []


def test_the_home_page_sets_the_course_up_as_the_readme_does(course: Workspace) -> None:
    readme, home = (LINES.findall((course.root / page).read_text("utf-8")) for page in ("README.md", "docs/index.md"))
    *setup, check = home

    assert check == "attn check dot_product\n"
    assert len(setup) == 2
    assert [lines for lines in setup if lines not in readme] == []


def test_what_a_student_types_is_quoted_for_every_system(course: Workspace) -> None:
    pages = ("README.md", "docs/index.md", "docs/work_in_a_notebook.md", "docs/work_in_an_editor.md")
    typed = [lines for page in pages for lines in LINES.findall((course.root / page).read_text(encoding="utf-8"))]

    assert typed
    assert [lines for lines in typed if "'" in lines] == []  # Windows' command prompt hands it on


@pytest.mark.slow
def test_pytest_finds_what_the_page_on_editors_asks_it_for(copy: Workspace) -> None:
    (lines,) = LINES.findall((copy.root / "docs" / "work_in_an_editor.md").read_text(encoding="utf-8"))
    calls = [[*shlex.split(line)[1:], "--collect-only", "--rootdir", "."] for line in lines.splitlines()]
    program = f"import sys, pytest; sys.exit(str([int(pytest.main(call)) for call in {calls}]))"
    done = subprocess.run([sys.executable, "-c", program], cwd=copy.root, capture_output=True, text=True)

    assert done.stderr.splitlines()[-1] == "[0, 0, 0]", done.stdout


def test_every_make_target_that_the_readme_names_exists(course: Workspace) -> None:
    named = set(re.findall(r"\bmake ([a-z]+)", (course.root / "README.md").read_text(encoding="utf-8"))) - {"on"}
    makefile = Path(course.root / "Makefile").read_text(encoding="utf-8")

    assert named == {"docs", "grade"}
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []

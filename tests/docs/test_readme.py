"""The README shows what the commands print; its other commands work as they stand."""

import re
from collections.abc import Callable

import pytest
from command import attn_in
from transcript import play

from autograder.workspace import Workspace

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINES = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.slow
def test_transcripts_are_what_the_commands_print(course: Workspace, fresh_copy: Callable[[], Workspace]) -> None:
    page = (course.root / "README.md").read_text(encoding="utf-8")

    def run(command: str, workspace: Workspace) -> str:
        _, *words = command.split()
        done = attn_in(workspace, *words, COLUMNS="80")
        return done.stdout + done.stderr

    played = list(play(page, fresh_copy, run))

    assert len(played) == 2
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
    assert len(setup) == 1
    assert [lines for lines in setup if lines not in readme] == []

"""The course has one name, `title` in course.toml: `attn sync` writes it wherever else it is shown."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autograder.authoring.course_name import headed
from autograder.workspace import COURSE, Workspace

SHOWN = ("README.md", "docs/index.md", "mkdocs.yml")


def test_nothing_else_holds_the_name(course: Workspace) -> None:
    words = ["git", "grep", "-lF", COURSE.course.title, "--", ".", ":!CHANGELOG.md"]
    found = subprocess.run(words, cwd=course.root, capture_output=True, text=True, check=True).stdout

    assert set(found.splitlines()) == {"course.toml", *SHOWN}


def test_all_that_show_it_have_the_name_of_now() -> None:
    for path, text in headed(COURSE.root, COURSE.course.title).items():
        assert path.read_text(encoding="utf-8") == text


def test_another_name_comes_in_its_place_and_changes_nothing_else(course: Workspace, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in SHOWN:
        shutil.copy(course.root / name, tmp_path / name)

    made = headed(tmp_path, "Shops & more")

    for name, written in zip(SHOWN, ("Shops & more", "Shops & more", "Shops &amp; more"), strict=True):
        before = (tmp_path / name).read_text(encoding="utf-8")
        assert made[tmp_path / name] == before.replace(COURSE.course.title, written, 1)


@pytest.mark.parametrize("line", ["site_name: Shop", 'site_name: "Shop"', 'site_name: !ENV [SITE_NAME, "Shop"]'])
def test_the_name_of_a_site_is_found_however_it_is_written(line: str, tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(f"{line}\nstrict: true\n", encoding="utf-8")

    (text,) = headed(tmp_path, "Bakery").values()

    assert (json.dumps("Bakery") in text, "Shop" in text, "strict: true" in text) == (True, False, True)


def test_a_readme_that_begins_otherwise_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Shop\n====\n\n# a comment\n", encoding="utf-8")

    assert headed(tmp_path, "Bakery") == {tmp_path / "README.md": "Shop\n====\n\n# a comment\n"}


@pytest.mark.parametrize(("given", "builds_with"), [("", "none"), ("Autumn", "Autumn")])
def test_a_workflow_that_sets_no_name_builds_with_the_course_s(
    given: str, builds_with: str, course: Workspace, tmp_path: Path
) -> None:
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"include {course.root}/Makefile\nshow:\n\t@echo $${{SITE_NAME-none}}\n", encoding="utf-8")
    words = ["make", "-s", "-f", makefile, "show"]

    made = subprocess.run(
        words, cwd=course.root, env={**os.environ, "SITE_NAME": given}, capture_output=True, text=True, check=True
    )

    assert made.stdout.strip() == builds_with

"""The course has one name, `title` in course.toml: what shows a name takes it from there, or says the same."""

import json
import re

import pytest
import yaml

from autograder.workspace import COURSE

TITLE = COURSE.course.title


def text(path: str) -> str:
    return (COURSE.root / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_front_page_is_headed_by_the_name(page: str) -> None:
    assert re.findall(r"^# (.*)$", text(page), re.MULTILINE)[0] == TITLE


def test_the_site_has_the_name_unless_it_is_given_another() -> None:
    (name,) = re.findall(r'^site_name: !ENV \[SITE_NAME, "(.*)"\]$', text("mkdocs.yml"), re.MULTILINE)
    jobs = yaml.safe_load(text(".github/workflows/publish-site.yml"))["jobs"]
    (published,) = [step["env"]["SITE_NAME"] for step in jobs["build"]["steps"] if step.get("run") == "make site"]

    assert name == TITLE
    assert published == f"${{{{ vars.SITE_NAME || '{TITLE}' }}}}"
    assert f"| {TITLE} |" in text("docs/publish_the_site.md")


def test_a_development_container_has_the_name() -> None:
    assert json.loads(text(".devcontainer/devcontainer.json"))["name"] == TITLE


def test_the_package_is_called_after_the_name() -> None:
    (name,) = re.findall(r'^name = "(.*)"$', text("pyproject.toml"), re.MULTILINE)

    assert name == re.sub(r"\W+", "-", TITLE.lower())

"""Publishing: the guide does what it says, and the workflow builds as `make site` does, with no more rights than it needs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from built_site import free_port
from course_copy import copy_course
from lxml import html
from session import run_session, scripts_of

from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def workflow(course: Workspace) -> Any:
    return yaml.safe_load((course.root / ".github" / "workflows" / "publish-site.yml").read_text(encoding="utf-8"))


def steps(workflow: Any) -> Iterator[Any]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def test_only_the_job_that_publishes_may_write(workflow: Any) -> None:
    rights = {name: job["permissions"] for name, job in workflow["jobs"].items()}

    assert workflow["permissions"] == {"contents": "read"}
    assert rights == {
        "build": {"contents": "read", "pages": "read"},
        "publish": {"pages": "write", "id-token": "write"},
    }


def test_solutions_are_published_only_where_somebody_asks_for_them(workflow: Any) -> None:
    (build,) = [step for step in steps(workflow) if step.get("run") == "make site"]

    assert build["env"]["SOLUTIONS"] == "${{ vars.SOLUTIONS || 'false' }}"


@pytest.mark.world
def test_the_guide_builds_a_site_of_ones_own_that_can_be_looked_at(course: Workspace, tmp_path: Path) -> None:
    checkout = copy_course(course.root, tmp_path / "checkout").root
    for name in ("mkdocs.yml", "pyproject.toml", "requirements.lock", "LICENSE"):
        (checkout / name).write_bytes((course.root / name).read_bytes())
    port = str(free_port())
    build, look, lead, package = scripts_of((checkout / "docs" / "publish_the_site.md").read_text(encoding="utf-8"))

    run_session(checkout, build)
    start = html.parse(str(checkout / "site" / "index.html"))
    assert "Attention, autumn 2026" in start.findtext(".//title")
    assert start.xpath("//link[@rel='canonical']/@href") == ["https://attention.example.edu/"]
    assert not any('class="solution"' in page.read_text(encoding="utf-8") for page in checkout.rglob("site/**/*.html"))

    page = f"http://127.0.0.1:{port}/lectures/scaling/"
    ask = f"import urllib.request as web; print(web.urlopen('{page}').read().decode())"
    published = (checkout / "site" / "sitemap.xml").read_bytes()
    told = run_session(checkout, f'{look.replace("8000", port)}\nuntil python -c "{ask}" 2> /dev/null; do :; done')
    assert "Why divide by" in told
    assert (checkout / "site" / "sitemap.xml").read_bytes() == published

    run_session(checkout, lead)
    notebook = (checkout / "students" / "notebooks" / "part1_simplified.ipynb").read_text(encoding="utf-8")
    assert "https://attention.example.edu/lectures/" in notebook

    run_session(checkout, package)
    assert [path.suffix for path in (checkout / "dist").iterdir()] == [".whl"]


def test_the_wheel_is_published_without_a_password(course: Workspace) -> None:
    path = course.root / ".github" / "workflows" / "publish-wheel.yml"
    (job,) = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()

    assert job["permissions"] == {"contents": "read", "id-token": "write"}
    assert "make wheel" in [step.get("run") for step in job["steps"]]
    assert not any("password" in step.get("with", {}) for step in job["steps"])

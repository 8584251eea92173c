"""The links that open a part's notebook elsewhere: on its page, in its notebook, and in a release, with what the services need."""

import json

import nbformat
import pytest
from markdown import Markdown
from tiny_course import NAME, TinyCourse

from autograder.authoring.release import files_of
from autograder.exam.syllabus import load
from autograder.site.cards import cards
from autograder.site.links import links_of

REPOSITORY = "https://github.com/owner/shop.course"
ADDRESSES = {
    "Colab": f"https://colab.research.google.com/github/owner/shop.course/blob/main/notebooks/{NAME}.ipynb",
    "Kaggle": f"https://kaggle.com/kernels/welcome?src={REPOSITORY}/blob/main/notebooks/{NAME}.ipynb",
    "Codespaces": "https://codespaces.new/owner/shop.course",
    "Binder": f"https://mybinder.org/v2/gh/owner/shop.course/main?labpath=notebooks/{NAME}.ipynb",
}
PULLED = (
    f"/hub/user-redirect/git-pull?repo={REPOSITORY}&urlpath=lab/tree/shop.course/notebooks/{NAME}.ipynb&branch=main"
)


@pytest.fixture
def published(tiny: TinyCourse) -> TinyCourse:
    """The tiny course, with a repository."""
    settings = tiny.workspace.root / "course.toml"
    settings.write_text(f'repository = "{REPOSITORY}"\n{settings.read_text(encoding="utf-8")}', encoding="utf-8")
    return tiny


def released(tiny: TinyCourse) -> dict[str, bytes]:
    return files_of(tiny.workspace, load(tiny.workspace.syllabus), site="")


def begins(notebook: bytes) -> str:
    """Return the first text of a notebook."""
    return str(nbformat.reads(notebook.decode(), as_version=4).cells[0].source)


def linked(text: str) -> list[str]:
    """Return the addresses that a text in Markdown links to, and its code."""
    page = Markdown(extensions=["md_in_html"]).convert(text).replace("&amp;", "&")
    return [address for address in (*ADDRESSES.values(), PULLED) if f'"{address}"' in page or f">{address}<" in page]


def test_a_part_has_a_link_for_each_service(published: TinyCourse) -> None:
    assert links_of(published.workspace.course, NAME) == ADDRESSES | {"nbgitpuller": PULLED}


def test_the_page_of_a_part_has_the_links(published: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(published.workspace.root)

    assert linked(cards()) == [*ADDRESSES.values(), PULLED]


def test_a_release_s_notebook_begins_with_the_links(published: TinyCourse) -> None:
    files = released(published)

    assert linked(begins(files[f"notebooks/{NAME}.ipynb"])) == [*ADDRESSES.values(), PULLED]
    assert f'repository = "{REPOSITORY}"' in files["course.toml"].decode()


def test_without_a_repository_nothing_is_linked(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny.workspace.root)

    assert links_of(tiny.workspace.course, NAME) == {}
    assert "Open in" not in begins(released(tiny)[f"notebooks/{NAME}.ipynb"])
    assert "Open in" not in cards()


def test_a_release_holds_what_binder_and_codespaces_install(tiny: TinyCourse) -> None:
    files = released(tiny)
    lines = files["binder/requirements.txt"].decode().splitlines()
    container = json.loads(files[".devcontainer/devcontainer.json"])

    assert {"-c ../requirements.lock", "-e ."} <= {*lines}
    assert {"requirements.lock", "pyproject.toml"} <= files.keys()
    assert files["binder/runtime.txt"].decode().strip().replace("-", ":") == container["image"]


def test_a_course_s_own_container_is_kept(tiny: TinyCourse) -> None:
    settings, own = tiny.workspace.root / "course.toml", tiny.workspace.root / ".devcontainer" / "devcontainer.json"
    own.parent.mkdir()
    own.write_text("{}", encoding="utf-8")
    with settings.open("a", encoding="utf-8") as file:
        file.write('\n[release]\nfiles = [".devcontainer/*.json"]\n')

    assert released(tiny)[".devcontainer/devcontainer.json"] == b"{}"

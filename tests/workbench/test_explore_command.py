"""`attn explore`: which model is opened, where there is none, and what is said then."""

import os
import shutil
import webbrowser
from pathlib import Path

import pytest
from command import attn_in
from screen_text import one_line

from autograder.workspace import Workspace
from workbench.explorer import TRAINED
from workbench.live_page import PAGE, live_page
from workbench.writer import WRITER


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser has been given; none is started."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(addresses.append(address) or True))
    return addresses


def trained(workspace: Workspace, name: str, source: Path = TRAINED, at: int = 0) -> Path:
    """Put a model where `attn train` does. at: the second in which it was trained."""
    path = workspace.memory / "training" / f"{name}.packed.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, path)
    os.utime(path, (at, at))
    return path


def page_of(workspace: Workspace, name: str) -> Path:
    return workspace.memory / "training" / f"{name}.live.html"


def test_the_model_that_was_trained_last_is_opened(copy: Workspace, opened: list[str]) -> None:
    trained(copy, "induction-seed2", at=2)
    trained(copy, "text-seed1", WRITER, at=3)
    trained(copy, "induction-seed3", at=1)

    done = attn_in(copy, "explore")

    page = page_of(copy, "text-seed1")
    assert (done.returncode, done.stderr) == (0, "")
    assert opened == [page.resolve().as_uri()]
    assert done.stdout.split() == opened
    assert "<h1>text-seed1</h1>" in page.read_text(encoding="utf-8")


def test_a_model_that_is_named_is_opened(copy: Workspace, opened: list[str]) -> None:
    trained(copy, "induction-seed1")
    shutil.copy(TRAINED, copy.root / "a friend's <model>.packed.safetensors")

    attn_in(copy, "explore", "a friend's <model>.packed.safetensors")

    page = page_of(copy, "a friend's <model>")
    assert opened == [page.resolve().as_uri()]
    assert "<h1>a friend&#x27;s &lt;model&gt;</h1>" in page.read_text(encoding="utf-8")


def test_a_release_has_all_that_the_page_is_made_of(copy: Workspace, tmp_path: Path) -> None:
    for pattern in copy.course.release.files:
        for path in copy.root.glob(pattern):
            released = tmp_path / path.relative_to(copy.root)
            released.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, released)

    assert live_page(tmp_path / "docs", TRAINED) == live_page(copy.root / "docs", TRAINED)
    assert (tmp_path / "workbench" / PAGE.name).is_file()


def test_before_a_first_training_the_way_to_one_is_told(copy: Workspace, opened: list[str]) -> None:
    done = attn_in(copy, "explore")

    assert "you have trained no model yet that the page can open: `attn train` trains one" in one_line(done.stderr)
    assert (done.returncode, opened) == (2, [])


def test_a_file_that_is_no_packed_model_is_refused(copy: Workspace, opened: list[str]) -> None:
    (copy.root / "notes.txt").write_bytes(b"no model at all")

    done = attn_in(copy, "explore", "notes.txt")

    assert "notes.txt is no model that the page can open" in one_line(done.stderr)
    assert "open one that ends in .packed.safetensors" in one_line(done.stderr)
    assert (done.returncode, opened) == (2, [])

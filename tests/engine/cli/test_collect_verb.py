"""`attn collect`: a download goes in, a class folder and what is to be known of it come out."""

from pathlib import Path

import pytest
from command import attn_in

from autograder.workspace import Workspace

TEXT = "def dot_product(a, b):\n    return a @ b\n"


@pytest.fixture
def download(tmp_path: Path) -> Path:
    folder = tmp_path / "download"
    folder.mkdir()
    for name in ("doejane_LATE_101_1_part1.py", "roe_102_3_part1.py", "poe_103_text.html", "notes.txt"):
        (folder / name).write_text(TEXT)
    return folder


def test_it_says_who_is_late_and_what_was_left_out(course: Workspace, download: Path, tmp_path: Path) -> None:
    out = tmp_path / "class"
    run = attn_in(course, "collect", str(download), "--out", str(out))

    assert run.stdout.splitlines() == [
        f"{out}: 2 students of a download of canvas",
        "Late, by the platform: doejane",
        "Ignored, no student's files: notes.txt; poe_103_text.html",
    ]


def test_a_roster_tells_who_is_not_in_it(course: Workspace, download: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,id,login\nJane Doe,101,jd\n")
    options = "--out", str(tmp_path / "class"), "--roster", str(tmp_path / "people.csv")
    run = attn_in(course, "collect", str(download), *options)

    assert (run.returncode, run.stdout.splitlines()[-2:]) == (
        3,
        ["  name,id,login,email,folder,sis_id", "  roe,102,,,,  (roe_102_3_part1.py)"],
    )


def test_what_is_no_download_is_refused(course: Workspace, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    run = attn_in(course, "collect", str(tmp_path / "class"), "--out", str(tmp_path / "out"))
    assert (run.returncode, "is no download that is known" in run.stderr) == (2, True)

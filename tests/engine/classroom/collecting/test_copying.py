"""What somebody handed in is copied: without links, junk and what would be too much."""

import os
import zipfile
from pathlib import Path

import pytest
from downloads import ONE, Gather, history

from autograder.classroom.collecting import copying
from autograder.classroom.collecting.collect import collect


def test_junk_and_what_git_keeps_are_left_out(gather: Gather, class_: Path) -> None:
    names = "part1.py", ".DS_Store", "__MACOSX/part1.py", "env/pyvenv.cfg", "env/lib/x.py", ".git/HEAD"
    gather({f"Jane Doe_7_assignsubmission_file_/{name}": ONE for name in names})
    assert history(class_, "Jane Doe") == [["env/pyvenv.cfg", "part1.py"]]


def test_what_unpacks_to_too_much_is_left_out_and_told(
    tmp_path: Path, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "LARGEST_HAND_IN", 1_000)
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("roe_102_4_zeros.py", bytes(1_001))

    assert collect(tmp_path / "submissions.zip", class_).problems == [
        "roe_102_4_zeros.py could not be unpacked (more than 1,000 bytes, the most that is read)."
    ]
    assert history(class_, "roe") == [["part1.py"]]


def test_a_link_is_left_out_and_told(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    (folder / "secret.py").symlink_to("/etc/passwd")

    assert collect(tmp_path / "download", class_).problems == ["Jane Doe: secret.py is a link, and was left out."]
    assert history(class_, "Jane Doe") == [[]]


def test_a_fifo_is_left_out_without_waiting(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "part1.py")

    assert collect(tmp_path / "download", class_).problems == ["Jane Doe: part1.py is no regular file."]

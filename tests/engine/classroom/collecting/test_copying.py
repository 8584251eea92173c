"""What somebody handed in is copied: without links, junk and what would be too much."""

import os
import zipfile
from pathlib import Path

import pytest
from downloads import FIRST, ONE, PARTS, Gather, files_of

from autograder.classroom.collecting import copying
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.copying import DEEPEST


def test_what_lies_too_deep_is_left_out_and_told(gather: Gather, class_: Path) -> None:
    deep = "/".join("a" * (DEEPEST + 1))

    told = gather({f"Jane Doe_1_assignsubmission_file_/{name}": ONE for name in (f"{FIRST}.py", f"{deep}/x.py")})

    assert files_of(class_, "Jane Doe") == [f"{FIRST}/{FIRST}.py"]
    assert told.problems == [f"Jane Doe: {deep}/x.py lies in more than {DEEPEST} folders, and was left out."]


def test_junk_and_what_git_keeps_are_left_out(gather: Gather, class_: Path) -> None:
    names = "part1.py", ".DS_Store", "__MACOSX/part1.py", "env/pyvenv.cfg", "env/lib/x.py", ".git/HEAD"
    gather({f"Jane Doe_7_assignsubmission_file_/{name}": ONE for name in names})
    assert files_of(class_, "Jane Doe") == [f"{FIRST}/env/pyvenv.cfg", f"{FIRST}/part1.py"]


def test_what_unpacks_to_too_much_is_left_out_and_told(
    tmp_path: Path, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "LARGEST_HAND_IN", 1_000)
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roe_102_3_part1.py", ONE)
        archive.writestr("roe_102_4_zeros.py", bytes(1_001))

    assert collect(tmp_path / "submissions.zip", class_, PARTS, None).problems == [
        "roe_102_4_zeros.py could not be unpacked (more than 1,000 bytes, the most that is read)."
    ]
    assert files_of(class_, "roe") == [f"{FIRST}/part1.py"]


def test_a_link_is_left_out_and_told(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    (folder / "secret.py").symlink_to("/etc/passwd")

    assert collect(tmp_path / "download", class_, PARTS, None).problems == [
        "Jane Doe: secret.py is a link, and was left out."
    ]
    assert files_of(class_, "Jane Doe") == []


def test_a_fifo_is_left_out_without_waiting(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "part1.py")

    assert collect(tmp_path / "download", class_, PARTS, None).problems == ["Jane Doe: part1.py is no regular file."]


def test_more_files_than_are_marked_are_not_copied(
    gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MOST_ENTRIES", 2)
    folder = "Jane Doe_7_assignsubmission_file_"
    told = gather({f"{folder}/{name}": ONE for name in ("a.py", "b/c.py", "b/d.py", "e/f.py")})

    assert told.problems == ["Jane Doe: of more than 2 files and folders, the others were left out."]
    assert files_of(class_, "Jane Doe") == [f"{FIRST}/a.py"]

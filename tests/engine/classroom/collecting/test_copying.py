"""What somebody handed in is copied: without links and junk."""

import os
from pathlib import Path

import pytest
from downloads import ONE, Gather, history, texts

from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.platforms import BadDownload


def test_junk_and_what_git_keeps_are_left_out(gather: Gather, class_: Path) -> None:
    names = "part1.py", ".DS_Store", "__MACOSX/part1.py", "env/pyvenv.cfg", "env/lib/x.py", ".git/HEAD"
    gather({f"Jane Doe_7_assignsubmission_file_/{name}": ONE for name in names})
    assert history(class_, "Jane Doe") == [["env/pyvenv.cfg", "part1.py"]]


def test_a_link_is_not_followed(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    (tmp_path / "secret.py").write_text(ONE)
    (folder / "part1.py").symlink_to(tmp_path / "secret.py")
    collect(tmp_path / "download", class_)

    assert next(class_.rglob("part1.py")).is_symlink()
    assert texts(class_, "Jane Doe") == {}


def test_a_pipe_is_refused_without_waiting(tmp_path: Path, class_: Path) -> None:
    folder = tmp_path / "download" / "Jane Doe_7_assignsubmission_file_"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "part1.py")

    with pytest.raises(BadDownload, match=r"part1\.py could not be copied: .* is a named pipe"):
        collect(tmp_path / "download", class_)


def test_only_nbgrader_writes_the_time_of_a_hand_in(gather: Gather, class_: Path) -> None:
    gather({"doejane_101_1_part1.py": ONE, "doejane_101_2_timestamp.txt": "2026-01-01"})
    assert history(class_, "doejane") == [["part1.py"]]

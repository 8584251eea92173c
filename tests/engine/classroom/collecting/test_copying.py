"""What somebody handed in is copied: without links and junk."""

import os
from pathlib import Path

from downloads import ONE, Gather, history

from autograder.classroom.collecting.collect import collect


def test_junk_and_what_git_keeps_are_left_out(gather: Gather, class_: Path) -> None:
    names = "part1.py", ".DS_Store", "__MACOSX/part1.py", "env/pyvenv.cfg", "env/lib/x.py", ".git/HEAD"
    gather({f"Jane Doe_7_assignsubmission_file_/{name}": ONE for name in names})
    assert history(class_, "Jane Doe") == [["env/pyvenv.cfg", "part1.py"]]


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

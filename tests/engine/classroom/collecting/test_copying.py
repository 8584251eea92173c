"""What somebody handed in is copied: without links, junk and what would be too much."""

import os
import zipfile
from pathlib import Path

import pytest
from downloads import FIRST, OF_SECOND, ONE, PARTS, Gather, files_of, students

from autograder.classroom.collecting import copying
from autograder.classroom.collecting.collect import collect
from autograder.classroom.collecting.copying import DEEPEST

TIME = "2020-01-01 12:00:00 UTC"


def test_what_lies_too_deep_is_left_out_and_told(gather: Gather, class_: Path) -> None:
    deep = "/".join("a" * (DEEPEST + 1))

    told = gather({f"Jane Doe_1_assignsubmission_file_/{name}": ONE for name in (f"{FIRST}.py", f"{deep}/x.py")})

    assert files_of(class_, "Jane Doe") == [f"{FIRST}/{FIRST}.py"]
    assert told.problems == [f"Jane Doe: {deep}/x.py lies in more than {DEEPEST} folders, and was left out."]


@pytest.mark.parametrize("of", ["doejane_101_{}_{}", "doejane_1_assignsubmission_file_/{1}"], ids=["Canvas", "Moodle"])
def test_no_time_is_taken_from_what_a_student_uploads(gather: Gather, class_: Path, of: str) -> None:
    gather({of.format(1, f"{FIRST}.py"): ONE, of.format(2, "timestamp.txt"): TIME})

    assert files_of(class_, "doejane") == [f"{FIRST}/{FIRST}.py"]


def test_a_time_beside_folders_of_students_is_kept(gather: Gather, class_: Path) -> None:
    gather({f"ada/{FIRST}.py": ONE, "ada/timestamp.txt": TIME}, platform="folders")

    assert files_of(class_, "ada") == [f"{FIRST}/{FIRST}.py", f"{FIRST}/timestamp.txt"]


def test_what_is_in_a_folder_of_moodle_keeps_its_places(gather: Gather, class_: Path) -> None:
    gather({"Jane Doe_7_assignsubmission_file_/hw/part1.py": ONE})
    assert files_of(class_, "Jane Doe") == [f"{FIRST}/hw/part1.py"]


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
        "roe_102_4_zeros.py has more than 1,000 bytes, the most that is read."
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


@pytest.mark.parametrize("name", ["roe_102_{}_{}", "roe_7_assignsubmission_file_/{1}"], ids=["files", "a folder"])
def test_of_a_hand_in_that_is_too_large_the_smallest_files_are_copied(
    gather: Gather, class_: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(copying, "LARGEST_HAND_IN", 1_000)
    sizes = {"a.bin": 600, "b.bin": 600, "c.bin": 700}
    files = {name.format(number, file): " " * size for number, (file, size) in enumerate(sizes.items())}
    told = gather(
        files | {name.format(9, "part1.py"): ONE, "doe_8_assignsubmission_file_/x.py": ONE, "poe_3_4_x.py": ONE}
    )

    assert told.problems == ["roe: b.bin and what is larger were left out: of a hand-in 1,000 bytes are copied."]
    assert files_of(class_, "roe") == [f"{FIRST}/a.bin", f"{FIRST}/part1.py"]


def test_a_folder_called_like_the_file_of_the_time_stops_nobody(gather: Gather, class_: Path) -> None:
    gather({"hw-ada/.git/HEAD": "", "hw-ada/timestamp.txt/x.py": "", "hw-bob/.git/HEAD": "", "hw-bob/part1.py": ONE})
    assert students(class_) == ["ada", "bob"]


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ({"roe_102_3_work-1.py": ONE, "roe_102_9_work-2.py": OF_SECOND}, "hand-in"),
        ({"roe_102_3_part1.py": ONE, "roe_102_9_part1-1.py": ONE + "x = 1"}, FIRST),
        ({"roe_102_3_part1.py": ONE, "roe_102_9_Part1.py": ONE + "x = 1"}, FIRST),
    ],
    ids=["of two parts", "of one part", "but for the case"],
)
def test_two_files_of_one_download_that_differ_by_a_number_are_both_there(
    gather: Gather, class_: Path, files: dict[str, str], folder: str
) -> None:
    gather(files)
    told = gather(files)

    assert files_of(class_, "roe") == sorted(f"{folder}/{name}" for name in files)
    assert told.unchanged == ["roe"]
    assert not (class_ / ".earlier").exists()

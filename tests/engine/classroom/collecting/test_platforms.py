"""Whose a file of a download is, and what its name tells, by platform."""

from pathlib import Path

import pytest

from autograder.classroom.collecting.platforms import BadDownload, Download, Upload, read_download


def of(folder: Path, *names: str, platform: str = "") -> Download:
    """Return what is told of a download of these names: a folder where one ends in a slash."""
    for name in names:
        path = folder / name
        path.mkdir(parents=True) if name.endswith("/") else path.write_text("")
    return read_download(folder, platform)


def one(folder: Path, name: str) -> Upload:
    (upload,) = of(folder, name).uploads
    return upload


CANVAS = [
    ("doejane_101_9001_part1.py", "doejane", "101", 9001, False, "part1.py"),
    ("doejane_LATE_101_9001_part1-2.py", "doejane", "101", 9001, True, "part1.py"),
    ("delacruz_ana_101_9001_my_1_2_3.py", "delacruz_ana", "101", 9001, False, "my_1_2_3.py"),
    ("doejane_101_9001_work-1.tar.gz", "doejane", "101", 9001, False, "work.tar.gz"),
    ("anon_5Rgs1_9001_part1.py", "anon_5Rgs1", "", 9001, False, "part1.py"),
    ("anon_LATE_5Rgs1_9001_part1.py", "anon_5Rgs1", "", 9001, True, "part1.py"),
    ("doejane101_question_55_9001_part1.py", "doejane", "101", 9001, False, "part1.py"),
    ("doejane101_LATE_question_55_9001_part1.py", "doejane", "101", 9001, True, "part1.py"),
]


@pytest.mark.parametrize(("file", "name", "number", "upload", "late", "own"), CANVAS)
def test_a_file_of_canvas_tells_name_id_upload_lateness_and_its_own_name(
    tmp_path: Path, file: str, name: str, number: str, upload: int, late: bool, own: str
) -> None:
    found = one(tmp_path, file)
    assert (found.person.name, found.person.id, found.number) == (name, number, upload)
    assert (found.late, found.name) == (late, own)


@pytest.mark.parametrize("file", ["doejane_101_text.html", "doejane_LATE_101_link.html", "notes.txt"])
def test_what_is_no_student_s_file_is_listed(tmp_path: Path, file: str) -> None:
    assert of(tmp_path, file, "roe_102_1_part1.py").ignored == (file,)


@pytest.mark.parametrize("end", ["_", ""])
def test_a_folder_of_moodle_tells_the_name(tmp_path: Path, end: str) -> None:
    found = one(tmp_path, f"Jane de Doe_12345_assignsubmission_file{end}/")
    assert (found.person.name, found.person.folder, found.name, found.late) == (
        "Jane de Doe",
        "Jane de Doe-12345",
        "",
        None,
    )


def test_a_flat_file_of_moodle_tells_its_own_name(tmp_path: Path) -> None:
    assert one(tmp_path, "Jane Doe_12345_assignsubmission_file_part1.py").name == "part1.py"


def test_a_flat_file_of_moodle_is_of_who_has_handed_it_in_whatever_its_own_name_says(tmp_path: Path) -> None:
    found = one(tmp_path, "Eve Doe_12345_assignsubmission_file_Bob Roe_6_assignsubmission_file_part1.py")
    assert found.person.name == "Eve Doe"


def test_an_online_text_of_moodle_is_no_file(tmp_path: Path) -> None:
    names = "Jane Doe_1_assignsubmission_onlinetext_/", "Jane Doe_1_assignsubmission_file_/"
    assert of(tmp_path, *names).ignored == ("Jane Doe_1_assignsubmission_onlinetext_",)


def test_a_clone_tells_the_login_without_what_all_have_in_common(tmp_path: Path) -> None:
    found = of(tmp_path, "hw-1-ada/.git/", "hw-1-bob-c/.git/", "hw-1-al/.git/")
    assert [upload.person.login for upload in found.uploads] == ["ada", "al", "bob-c"]


def test_a_folder_around_the_download_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    assert of(tmp_path, "submissions/roe_102_1_part1.py").platform == "canvas"


def test_a_download_of_an_unknown_kind_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(BadDownload, match="no download that is known: Canvas names files like"):
        of(tmp_path, "ada/", "bob.zip")


def test_entries_under_the_student_s_name_are_taken_where_asked_for(tmp_path: Path) -> None:
    found = of(tmp_path, "ada/", "bob.tar.gz", platform="folders")
    assert [upload.person.login for upload in found.uploads] == ["ada", "bob"]

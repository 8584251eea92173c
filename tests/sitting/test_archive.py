"""Zips and folders as files by path: what is listed, what is refused, and nothing that blocks or explodes."""

import contextlib
import io
import os
import random
import socket
import stat
import struct
import warnings
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from autograder.sitting.archive import LARGEST_INFLATED, MOST_ENTRIES, Folder, Zip, is_junk
from autograder.sitting.submission import Unreadable

MODULE = PurePosixPath("part.py")
MOST = 1_000_000


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(content, "w", method) as archive:
        warnings.simplefilter("ignore")  # of a name that is there twice
        for member, data in members:
            archive.writestr(member, data, method)
    return content.getvalue()


def member(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def paths(files: Folder | Zip) -> list[str]:
    return list(map(str, files.listing().files))


def fill(folder: Path, *names: str) -> Folder:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return Folder(folder, "ada")


# What is listed


def test_the_shallowest_files_of_a_folder_come_first(tmp_path: Path) -> None:
    assert paths(fill(tmp_path, "b/a.py", "c.py", "a.txt")) == ["a.txt", "c.py", "b/a.py"]


def test_the_shallowest_files_of_a_zip_come_first() -> None:
    assert paths(Zip(zipped(("b/a.py", b""), ("c.py", b""), ("a.txt", b"")), "ada.zip")) == ["a.txt", "c.py", "b/a.py"]


DEEP = ("1/2/3/4/x.py", "1/2/3/4/5/y.py")


def test_a_file_in_more_than_four_folders_is_not_found(tmp_path: Path) -> None:
    assert paths(fill(tmp_path, *DEEP)) == ["1/2/3/4/x.py"]


def test_a_file_of_a_zip_in_more_than_four_folders_is_not_found() -> None:
    assert paths(Zip(zipped(*((name, b"") for name in DEEP)), "ada.zip")) == ["1/2/3/4/x.py"]


JUNK = (
    "README.md",
    ".DS_Store",
    "__pycache__/a.pyc",
    "__MACOSX/part.py",
    "timestamp.txt",
    ".ipynb_checkpoints/part.py",
)


def test_junk_in_a_folder_is_ignored_and_counted(tmp_path: Path) -> None:
    listing = fill(tmp_path, "part.py", *JUNK).listing()
    assert (listing.files, listing.ignored) == ((MODULE,), 6)


def test_junk_in_a_zip_is_ignored_and_counted() -> None:
    listing = Zip(zipped(*((name, b"") for name in ("part.py", *JUNK))), "ada.zip").listing()
    assert (listing.files, listing.ignored) == ((MODULE,), 6)


RELEASE = ("autograder/workspace.py", "docs/page.md", "exams/syllabus.json", "solutions/part.py", "exercises/part.py")
CLONE = (*RELEASE, "autograder/course/mistakes/__init__.py", "tests/part.py")
OWN = [
    (RELEASE, ["exercises/part.py", "solutions/part.py"]),
    (CLONE, ["exercises/part.py"]),
    (RELEASE[1:], list(RELEASE[1:])),
]
"""Of a release the solutions are the student's own; without the grader all is."""


@pytest.mark.parametrize(("names", "found"), OWN, ids=["release", "clone", "no grader"])
@pytest.mark.parametrize("folder", ["", "course/"])
def test_what_the_course_brings_along_is_ignored(
    tmp_path: Path, folder: str, names: tuple[str, ...], found: list[str]
) -> None:
    given = [f"{folder}{name}" for name in names]

    listings = [paths(fill(tmp_path, *given)), paths(Zip(zipped(*((name, b"") for name in given)), "ada.zip"))]

    assert [sorted(one) for one in listings] == 2 * [sorted(f"{folder}{name}" for name in found)]


@pytest.mark.parametrize("name", ["part.py", "readme_tools.py", "a.b"])
def test_what_a_student_wrote_is_no_junk(name: str) -> None:
    assert not is_junk(name)


def test_a_folder_of_too_many_entries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="more than 2,000 entries"):
        fill(tmp_path, *(f"{number}.txt" for number in range(2_001))).listing()


def test_a_folder_that_must_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    with pytest.raises(Unreadable, match="ada could not be read: Permission denied"):
        Folder(tmp_path, "ada").listing()


def test_a_folder_named_like_a_module_is_listed_and_not_entered(tmp_path: Path) -> None:
    assert paths(fill(tmp_path, "part.py/part.py")) == ["part.py"]


def test_a_folder_of_a_zip_named_like_a_module_is_listed_and_not_entered() -> None:
    assert paths(Zip(zipped(("part.py/part.py", b"")), "ada.zip")) == ["part.py"]


# Reading a folder's files


def test_a_file_is_read(tmp_path: Path) -> None:
    assert fill(tmp_path, "part.py").read(MODULE, MOST) == b"part.py"


def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "part.py")
    with pytest.raises(Unreadable, match=r"^ada/part\.py is a FIFO, not a file"):
        Folder(tmp_path, "ada").read(MODULE, MOST)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("part.py")
        with pytest.raises(Unreadable, match="is a socket, not a file"):
            Folder(tmp_path, "ada").read(MODULE, MOST)


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="is a folder, not a file"):
        fill(tmp_path, "part.py/x").read(MODULE, MOST)


def test_a_link_inside_is_followed(tmp_path: Path) -> None:
    files = fill(tmp_path, "sub/mine.py")
    (tmp_path / "part.py").symlink_to("sub/mine.py")
    assert files.read(MODULE, MOST) == b"sub/mine.py"


@pytest.mark.parametrize("target", ["../bob/part.py", "/dev/zero", "/etc/passwd", "sub/../../bob/part.py", ".."])
def test_a_link_that_leaves_is_refused(tmp_path: Path, target: str) -> None:
    fill(tmp_path, "bob/part.py", "ada/sub/x")
    (tmp_path / "ada" / "part.py").symlink_to(target)
    with pytest.raises(Unreadable, match="is a link that leads out of ada"):
        Folder(tmp_path / "ada", "ada").read(MODULE, MOST)


def test_a_link_through_a_linked_folder_that_leaves_is_refused(tmp_path: Path) -> None:
    fill(tmp_path, "bob/part.py", "ada/x")
    (tmp_path / "ada" / "out").symlink_to("../bob")
    (tmp_path / "ada" / "part.py").symlink_to("out/part.py")
    with pytest.raises(Unreadable, match="is a link that leads out of ada"):
        Folder(tmp_path / "ada", "ada").read(MODULE, MOST)


def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "again").symlink_to(".")
    assert paths(fill(tmp_path, "part.py")) == ["again", "part.py"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.py").symlink_to("part.py")
    with pytest.raises(Unreadable, match="is a link, not a file"):
        Folder(tmp_path, "ada").read(MODULE, MOST)


def test_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.py").symlink_to("gone.py")
    with pytest.raises(Unreadable, match="could not be read: No such file"):
        Folder(tmp_path, "ada").read(MODULE, MOST)


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = fill(tmp_path, "part.py")

    def refuse(path: Path, flags: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    with pytest.raises(Unreadable, match=r"ada/part\.py could not be read: Permission denied"):
        files.read(MODULE, MOST)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "part.py", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unreadable, match="has more than 1,000,000 bytes"):
        Folder(tmp_path, "ada").read(MODULE, MOST)


def test_control_characters_in_a_path_are_escaped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "\x1b[2J\u202e.py")
    with pytest.raises(Unreadable) as caught:
        Folder(tmp_path, "ada").read(PurePosixPath("\x1b[2J\u202e.py"), MOST)
    assert str(caught.value) == r"ada/\x1b[2J\u202e.py is a FIFO, not a file."


def test_a_path_that_is_no_unicode_can_be_told(tmp_path: Path) -> None:
    os.mkfifo(os.fsencode(tmp_path) + b"/\xff.py")
    with pytest.raises(Unreadable) as caught:
        Folder(tmp_path, "ada").read(Folder(tmp_path, "ada").listing().files[0], MOST)
    assert str(caught.value) == r"ada/\udcff.py is a FIFO, not a file."


# Zips that are refused as a whole


def test_no_zip_is_told_as_such() -> None:
    with pytest.raises(Unreadable, match=r"^ada\.zip is no zip archive that can be read"):
        Zip(b"Rar!", "ada.zip")


@pytest.mark.parametrize(
    "name", ["../part.py", "a/../../part.py", "/part.py", "..\\part.py", "C:/part.py", "C:part.py", "."]
)
def test_a_path_that_is_not_inside_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="which is not inside it"):
        Zip(zipped((name, b"")), "ada.zip")


def test_a_path_as_windows_writes_it_is_read() -> None:
    files = Zip(zipped(("homework\\part.py", b"x = 1")), "ada.zip")

    assert files.read(PurePosixPath("homework/part.py"), MOST) == b"x = 1"


def test_hidden_files_do_not_count_among_too_many() -> None:
    hidden = [(f".git/{number}", b"") for number in range(MOST_ENTRIES)]

    assert Zip(zipped(*hidden, ("part.py", b"")), "ada.zip").listing().files == (PurePosixPath("part.py"),)


@pytest.mark.parametrize("names", [("part.py", "part.py"), ("part.py", "./part.py"), ("a//part.py", "a/part.py")])
def test_a_name_that_is_there_twice_is_refused(names: tuple[str, str]) -> None:
    with pytest.raises(Unreadable, match="twice"):
        Zip(zipped(*((name, b"") for name in names)), "ada.zip")


def test_a_zip_of_too_many_members_is_refused() -> None:
    with pytest.raises(Unreadable, match="more than 2,000 entries"):
        Zip(zipped(*((f"{number}", b"") for number in range(2_001))), "ada.zip")


def test_a_table_of_contents_that_is_too_long_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped(*((f"{number:0500}", b"") for number in range(2_000)))
    monkeypatch.setattr(zipfile, "ZipInfo", None)
    with pytest.raises(Unreadable, match=r"its table of contents has 1,\d+,\d+ bytes"):
        Zip(content, "ada.zip")


def test_a_path_that_is_too_long_is_refused() -> None:
    with pytest.raises(Unreadable, match="a path of 1,001 characters"):
        Zip(zipped(("a" * 1_001, b"")), "ada.zip")


# Zips with a member that is refused


def test_a_member_is_read() -> None:
    assert Zip(zipped(("part.py", b"x = 1")), "ada.zip").read(MODULE, MOST) == b"x = 1"


@pytest.mark.parametrize(
    ("mode", "kind"), [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "a FIFO"), (stat.S_IFCHR, "a device")]
)
def test_a_member_that_is_no_file_is_refused(mode: int, kind: str) -> None:
    with pytest.raises(Unreadable, match=rf"^ada\.zip/part\.py is {kind}, not a file"):
        Zip(zipped((member("part.py", mode | 0o777), b"/etc/passwd")), "ada.zip").read(MODULE, MOST)


@pytest.mark.parametrize("name", ["part.py/", "part.py/x.txt"])
def test_a_folder_in_place_of_a_member_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="is a folder, not a file"):
        Zip(zipped((name, b"")), "ada.zip").read(MODULE, MOST)


def test_a_member_that_inflates_too_far_is_stopped() -> None:
    with pytest.raises(Unreadable, match="has more than 1,000,000 bytes"):
        Zip(zipped(("part.py", b"#" * (MOST + 1))), "ada.zip").read(MODULE, MOST)


def test_what_is_inflated_in_all_is_bounded() -> None:
    files = Zip(zipped(("part.py", bytes(LARGEST_INFLATED // 2 + 1))), "ada.zip")
    files.read(MODULE, LARGEST_INFLATED)
    with pytest.raises(Unreadable, match="more than 50,000,000 bytes when unpacked"):
        files.read(MODULE, LARGEST_INFLATED)


def test_a_size_that_a_zip_tells_too_small_is_not_trusted() -> None:
    content = zipped(("part.py", b"x" * 2_000_000)).replace(struct.pack("<I", 2_000_000), struct.pack("<I", 4))
    with pytest.raises(Unreadable, match="is damaged"):
        Zip(content, "ada.zip").read(MODULE, MOST)


def test_a_size_that_a_zip_tells_too_large_takes_no_memory() -> None:
    content = zipped(("part.py", b"x" * 5_000)).replace(struct.pack("<I", 5_000), struct.pack("<I", 1 << 31))
    assert Zip(content, "ada.zip").read(MODULE, MOST) == b"x" * 5_000


def test_a_damaged_member_is_told() -> None:
    content = zipped(("part.py", b"x = 12345"), method=zipfile.ZIP_STORED).replace(b"12345", b"12346")
    with pytest.raises(Unreadable, match="is damaged"):
        Zip(content, "ada.zip").read(MODULE, MOST)


def test_an_encrypted_member_is_told() -> None:
    content = bytearray(zipped(("part.py", b"x = 1")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="is encrypted"):
        Zip(bytes(content), "ada.zip").read(MODULE, MOST)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_inflates_without_bound_is_refused(method: int) -> None:
    with pytest.raises(Unreadable, match="compressed by an unusual method"):
        Zip(zipped(("part.py", b"x = 1"), method=method), "ada.zip").read(MODULE, MOST)


def test_a_member_that_nobody_asks_for_may_be_damaged() -> None:
    content = zipped(("part.py", b"x = 1"), ("photo.png", b"12345"), method=zipfile.ZIP_STORED)
    assert Zip(content.replace(b"12345", b"54321"), "ada.zip").read(MODULE, MOST) == b"x = 1"


@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_of_a_zip_raises_anything_else(seed: int) -> None:
    draw = random.Random(seed)
    whole = zipped(("part.py", b"x = 1\n" * 50), ("a/b.ipynb", b"{}"), ("photo.png", b"12345"))
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(content))
            content[place : place + draw.choice([0, 1, 1, 1, 9])] = draw.choice([b"", b"\xff", b"\0", b"..", b"/"])
        with contextlib.suppress(Unreadable):
            files = Zip(bytes(content), "ada.zip")
            for path in files.listing().files:
                files.read(path, MOST)

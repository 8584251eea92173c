"""What was handed in as files by path: what is listed, what is refused, and nothing that blocks or explodes."""

import contextlib
import io
import os
import random
import socket
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from autograder.submission.archive import MOST_ENTRIES, Files, is_junk
from autograder.submission.model import Unreadable

MODULE = PurePosixPath("part.py")
MOST = 1_000_000

Open = Callable[..., Files]


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


def paths(files: Files) -> list[str]:
    return list(map(str, files.paths))


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """The folder of a student."""
    (tmp_path / "ada").mkdir()
    return tmp_path / "ada"


def fill(folder: Path, *names: str) -> Files:
    """Write files into a folder, each with its name as its text."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return Files(folder)


@pytest.fixture
def unzip(tmp_path: Path) -> Callable[[bytes], Files]:
    """Hand in a zip of this content."""

    def run(content: bytes) -> Files:
        (tmp_path / "ada.zip").write_bytes(content)
        return Files(tmp_path / "ada.zip")

    return run


@pytest.fixture(params=["folder", "zip"])
def hand_in(request: pytest.FixtureRequest, ada: Path, unzip: Callable[[bytes], Files]) -> Open:
    """Hand in empty files of these names, as a folder and as a zip."""

    def run(*names: str) -> Files:
        return fill(ada, *names) if request.param == "folder" else unzip(zipped(*((name, b"") for name in names)))

    return run


# What is listed


def test_the_shallowest_files_come_first(hand_in: Open) -> None:
    assert paths(hand_in("b/a.py", "c.py", "a.txt")) == ["a.txt", "c.py", "b/a.py"]


def test_a_file_is_found_however_deep(hand_in: Open) -> None:
    deep = "1/" * 50 + "part.py"
    assert paths(hand_in(deep)) == [deep]


def test_a_file_of_a_zip_in_a_folder_is_listed_below_it(ada: Path) -> None:
    (ada / "mine.ZIP").write_bytes(zipped(("hw/part.py", b"x = 1")))

    assert paths(Files(ada)) == ["mine.ZIP/hw/part.py"]
    assert Files(ada).read(PurePosixPath("mine.ZIP/hw/part.py"), MOST) == b"x = 1"


def test_a_single_file_is_listed_alone(ada: Path) -> None:
    fill(ada, "part.py", "other.py")
    files = Files(ada / "part.py")
    assert (paths(files), files.read(MODULE, MOST), files.shown(MODULE)) == (["part.py"], b"part.py", "part.py")


JUNK = ("README.md", ".DS_Store", "__pycache__/a.pyc", "__MACOSX/part.py", ".ipynb_checkpoints/part.py")


def test_junk_is_ignored_and_counted(hand_in: Open) -> None:
    files = hand_in("part.py", *JUNK)
    assert (files.paths, files.ignored) == ([MODULE], 5)


@pytest.mark.parametrize("folder", ["venv/", "env/", "a/my env/", ""])
def test_a_virtual_environment_is_ignored_under_any_name(hand_in: Open, folder: str) -> None:
    files = hand_in("part.py", f"{folder}pyvenv.cfg", f"{folder}lib/part.py", f"{folder}Scripts/part.py")
    assert sorted(paths(files)) == sorted(["part.py", f"{folder}pyvenv.cfg"])


RELEASE = (
    "autograder/workspace.py",
    "course.toml",
    "docs/page.md",
    "exams/syllabus.json",
    "solutions/part.py",
    "exercises/part.py",
)
CLONE = (*RELEASE, "tests/part.py", "course/part/steps.py", "benchmarks/part.py", "workbench/train.py")
NO_COURSE = tuple(name for name in RELEASE if name != "course.toml")
OWN = [
    (RELEASE, ["course.toml", "exercises/part.py", "solutions/part.py"]),
    (CLONE, ["course.toml", "exercises/part.py", "solutions/part.py"]),
    (NO_COURSE, sorted(NO_COURSE)),
]
"""Without a `course.toml` beside them, all folders are the student's own."""


@pytest.mark.parametrize(("names", "found"), OWN, ids=["release", "clone", "no course"])
@pytest.mark.parametrize("folder", ["", "course/"])
def test_what_the_course_brings_along_is_ignored(
    hand_in: Open, folder: str, names: tuple[str, ...], found: list[str]
) -> None:
    assert sorted(paths(hand_in(*(f"{folder}{name}" for name in names)))) == [f"{folder}{name}" for name in found]


@pytest.mark.parametrize("name", ["part.py", "readme_tools.py", "a.b"])
def test_what_a_student_wrote_is_no_junk(name: str) -> None:
    assert not is_junk(name)


def test_too_many_entries_are_refused(hand_in: Open) -> None:
    with pytest.raises(Unreadable, match="more than 2,000 entries"):
        hand_in(*(f"{number}.txt" for number in range(2_001)))


@pytest.mark.parametrize("folder", [".git", "env/lib"])
def test_what_is_ignored_does_not_count_among_too_many(hand_in: Open, folder: str) -> None:
    junk = [f"{folder}/{number}" for number in range(MOST_ENTRIES)]

    assert "part.py" in paths(hand_in("env/pyvenv.cfg", *junk, "part.py"))


def test_a_folder_that_must_not_be_read_is_told(ada: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    assert Files(ada).problems == ["ada could not be read: Permission denied"]


# Reading a folder's files


def test_a_file_is_read(ada: Path) -> None:
    assert fill(ada, "part.py").read(MODULE, MOST) == b"part.py"


def test_a_fifo_is_refused_without_waiting_for_a_writer(ada: Path) -> None:
    os.mkfifo(ada / "part.py")
    with pytest.raises(Unreadable, match=r"^ada/part\.py is no regular file"):
        Files(ada).read(MODULE, MOST)


def test_a_socket_is_refused(ada: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ada)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("part.py")
        with pytest.raises(Unreadable, match="is no regular file"):
            Files(ada).read(MODULE, MOST)


def test_a_link_inside_is_followed(ada: Path) -> None:
    fill(ada, "sub/mine.py")
    (ada / "part.py").symlink_to("sub/mine.py")
    assert Files(ada).read(MODULE, MOST) == b"sub/mine.py"


@pytest.mark.parametrize("target", ["../bob/part.py", "/dev/zero", "/etc/passwd", "sub/../../bob/part.py", ".."])
def test_a_link_that_leaves_is_refused(ada: Path, target: str) -> None:
    fill(ada.parent, "bob/part.py", "ada/sub/x")
    (ada / "part.py").symlink_to(target)
    with pytest.raises(Unreadable, match="is a link that leads out of ada"):
        Files(ada).read(MODULE, MOST)


def test_a_link_through_a_linked_folder_that_leaves_is_refused(ada: Path) -> None:
    fill(ada.parent, "bob/part.py", "ada/x")
    (ada / "out").symlink_to("../bob")
    (ada / "part.py").symlink_to("out/part.py")
    with pytest.raises(Unreadable, match="is a link that leads out of ada"):
        Files(ada).read(MODULE, MOST)


def test_a_folder_that_is_a_link_is_not_entered(ada: Path) -> None:
    (ada / "again").symlink_to(".")
    assert paths(fill(ada, "part.py")) == ["again", "part.py"]


def test_a_link_to_itself_is_refused(ada: Path) -> None:
    (ada / "part.py").symlink_to("part.py")
    with pytest.raises(Unreadable, match="is no regular file"):
        Files(ada).read(MODULE, MOST)


def test_a_link_to_nowhere_is_refused(ada: Path) -> None:
    (ada / "part.py").symlink_to("gone.py")
    with pytest.raises(Unreadable, match="could not be read: No such file"):
        Files(ada).read(MODULE, MOST)


def test_a_file_without_permission_is_refused(ada: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = fill(ada, "part.py")

    def refuse(path: Path, flags: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    with pytest.raises(Unreadable, match=r"ada/part\.py could not be read: Permission denied"):
        files.read(MODULE, MOST)


def test_a_file_that_is_too_large_is_refused(ada: Path) -> None:
    with open(ada / "part.py", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unreadable, match="has more than 1,000,000 bytes"):
        Files(ada).read(MODULE, MOST)


def test_control_characters_in_a_path_are_escaped(ada: Path) -> None:
    os.mkfifo(ada / "\x1b[2J\u202e.py")
    with pytest.raises(Unreadable) as caught:
        Files(ada).read(PurePosixPath("\x1b[2J\u202e.py"), MOST)
    assert str(caught.value) == r"ada/\x1b[2J\u202e.py is no regular file."


def test_a_path_that_is_no_unicode_can_be_told(ada: Path) -> None:
    os.mkfifo(os.fsencode(ada) + b"/\xff.py")
    with pytest.raises(Unreadable) as caught:
        Files(ada).read(Files(ada).paths[0], MOST)
    assert str(caught.value) == r"ada/\udcff.py is no regular file."


# Zips as a whole


def test_no_zip_is_told_as_such(unzip: Open) -> None:
    with pytest.raises(Unreadable, match=r"^ada\.zip is no zip archive that can be read"):
        unzip(b"Rar!")


@pytest.mark.parametrize(
    "name", ["../part.py", "a/../../part.py", "/part.py", "..\\part.py", "C:/part.py", "./part.py", "a//part.py"]
)
def test_no_path_leads_out(unzip: Open, name: str) -> None:
    (path,) = unzip(zipped((name, b""))).paths
    assert ".." not in path.parts
    assert not path.is_absolute()


def test_a_path_as_windows_writes_it_is_read(unzip: Open) -> None:
    files = unzip(zipped(("homework\\part.py", b"x = 1")))

    assert files.read(PurePosixPath("homework/part.py"), MOST) == b"x = 1"


@pytest.mark.parametrize("names", [("part.py", "part.py"), ("part.py", "./part.py")])
def test_of_a_name_that_is_there_twice_the_last_counts(unzip: Open, names: tuple[str, str]) -> None:
    assert unzip(zipped((names[0], b"first"), (names[1], b"last"))).read(MODULE, MOST) == b"last"


def test_a_zip_that_holds_itself_ends(ada: Path) -> None:
    inner = zipped(("part.py", b"x = 1"))
    for _ in range(100):
        inner = zipped(("again.zip", inner), ("part.py", b"x = 1"))
    (ada / "again.zip").write_bytes(inner)

    assert len(Files(ada).paths) == 101


def test_a_zip_that_would_not_fit_into_memory_is_read(ada: Path) -> None:
    model = ada / "model.bin"
    model.touch()
    os.truncate(model, 30_000_000)
    with zipfile.ZipFile(ada.parent / "ada.zip", "w", zipfile.ZIP_STORED) as whole:
        whole.write(model, "model.bin")
        whole.writestr("part.py", b"x = 1")

    assert Files(ada.parent / "ada.zip").read(MODULE, MOST) == b"x = 1"


# Tar archives


def tarred(*members: tuple[str, bytes | None], compressed: bool = True) -> bytes:
    """Return a tar archive; a member without content is a link out of it."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz" if compressed else "w") as whole:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if data is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            info.size = len(data or b"")
            whole.addfile(info, io.BytesIO(data or b""))
    return content.getvalue()


@pytest.fixture
def untar(tmp_path: Path) -> Callable[..., Files]:
    """Hand in a tar archive of this content."""

    def run(content: bytes, name: str = "ada.tar.gz") -> Files:
        (tmp_path / name).write_bytes(content)
        return Files(tmp_path / name)

    return run


@pytest.mark.parametrize("name", ["ada.tar.gz", "ada.tgz", "ada.TAR.GZ", "ada.tar"])
@pytest.mark.parametrize("compressed", [True, False])
def test_a_tar_archive_is_read_compressed_or_not(untar: Open, name: str, compressed: bool) -> None:
    files = untar(tarred(("hw/part.py", b"x = 1"), compressed=compressed), name)
    assert files.read(PurePosixPath("hw/part.py"), MOST) == b"x = 1"


def test_a_tar_archive_in_a_zip_is_looked_into(unzip: Open) -> None:
    files = unzip(zipped(("inner.tgz", tarred(("part.py", b"x = 1")))))
    assert files.read(PurePosixPath("inner.tgz/part.py"), MOST) == b"x = 1"


@pytest.mark.parametrize("name", ["../part.py", "/part.py", "a/../../part.py"])
def test_no_path_in_a_tar_archive_leads_out(untar: Open, name: str) -> None:
    (path,) = untar(tarred((name, b""))).paths
    assert not path.is_absolute()
    assert ".." not in path.parts


def test_a_link_in_a_tar_archive_has_no_content(untar: Open) -> None:
    assert untar(tarred(("part.py", None))).read(MODULE, MOST) == b""


def test_a_virtual_environment_in_a_tar_archive_is_ignored(untar: Open) -> None:
    files = untar(tarred(("env/lib/part.py", b""), ("env/pyvenv.cfg", b""), ("part.py", b"")))
    assert paths(files) == ["part.py", "env/pyvenv.cfg"]


def test_a_tar_archive_is_read_whose_files_fill_whole_blocks(untar: Open) -> None:
    content = [(f"{size}.py", b"#" * size) for size in (0, 511, 512, 513, 1_024, 70_000)]
    files = untar(tarred(*content))
    assert [
        (str(path), files.read(path, MOST)) for path in sorted(files.paths, key=lambda path: int(path.stem))
    ] == content


def test_no_tar_archive_is_told_as_such(untar: Open) -> None:
    with pytest.raises(Unreadable, match=r"^ada\.tar\.gz is no tar archive that can be read"):
        untar(b"Rar!")


@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_of_a_tar_archive_raises_anything_else(untar: Open, seed: int) -> None:
    draw = random.Random(seed)
    whole = tarred(("part.py", b"x = 1"), ("a/b.ipynb", b"{}"), compressed=False)
    for _ in range(100):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            content[draw.randrange(2_048)] = draw.randrange(256)
        with contextlib.suppress(Unreadable):
            untar(bytes(content), "ada.tar")


# Members of zips


def test_a_member_is_read(unzip: Open) -> None:
    assert unzip(zipped(("part.py", b"x = 1"))).read(MODULE, MOST) == b"x = 1"


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_a_member_that_is_no_file_is_refused(unzip: Open, mode: int) -> None:
    with pytest.raises(Unreadable, match=r"^ada\.zip/part\.py could not be unpacked \(it is no regular file\)"):
        unzip(zipped((member("part.py", mode | 0o777), b"/etc/passwd"))).read(MODULE, MOST)


def test_a_member_that_inflates_too_far_is_stopped(unzip: Open) -> None:
    with pytest.raises(Unreadable, match="has more than 1,000,000 bytes"):
        unzip(zipped(("part.py", b"#" * (MOST + 1)))).read(MODULE, MOST)


def test_a_size_that_a_zip_tells_too_small_is_not_trusted(unzip: Open) -> None:
    content = zipped(("part.py", b"x" * 2_000_000)).replace(struct.pack("<I", 2_000_000), struct.pack("<I", 4))
    with pytest.raises(Unreadable, match="could not be unpacked"):
        unzip(content).read(MODULE, MOST)


def test_a_size_that_a_zip_tells_too_large_takes_no_memory(unzip: Open) -> None:
    content = zipped(("part.py", b"x" * 5_000)).replace(struct.pack("<I", 5_000), struct.pack("<I", 1 << 31))
    assert unzip(content).read(MODULE, MOST) == b"x" * 5_000


def test_a_damaged_member_is_told(unzip: Open) -> None:
    content = zipped(("part.py", b"x = 12345"), method=zipfile.ZIP_STORED).replace(b"12345", b"12346")
    with pytest.raises(Unreadable, match="could not be unpacked"):
        unzip(content).read(MODULE, MOST)


def test_an_encrypted_member_is_told(unzip: Open) -> None:
    content = bytearray(zipped(("part.py", b"x = 1")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Unreadable, match="is encrypted"):
        unzip(bytes(content)).read(MODULE, MOST)


def test_a_member_that_nobody_asks_for_may_be_damaged(unzip: Open) -> None:
    content = zipped(("part.py", b"x = 1"), ("photo.png", b"12345"), method=zipfile.ZIP_STORED)
    assert unzip(content.replace(b"12345", b"54321")).read(MODULE, MOST) == b"x = 1"


@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_of_a_zip_raises_anything_else(unzip: Open, seed: int) -> None:
    draw = random.Random(seed)
    whole = zipped(("part.py", b"x = 1\n" * 50), ("a/b.ipynb", b"{}"), ("photo.png", b"12345"))
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(content))
            content[place : place + draw.choice([0, 1, 1, 1, 9])] = draw.choice([b"", b"\xff", b"\0", b"..", b"/"])
        with contextlib.suppress(Unreadable):
            files = unzip(bytes(content))
            for path in files.paths:
                with contextlib.suppress(Unreadable):
                    files.read(path, MOST)

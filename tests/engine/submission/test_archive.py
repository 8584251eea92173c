"""What was handed in as files by path: what is listed, what is refused, and nothing that blocks."""

import io
import os
import struct
import tarfile
import warnings
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from autograder.submission.archive import Files
from autograder.submission.model import Unreadable

MODULE = PurePosixPath("part.py")
ZIP, TAR = "ada.zip", "ada.tar.gz"


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(content, "w", method) as archive:
        warnings.simplefilter("ignore")  # of a name that is there twice
        for member, data in members:
            archive.writestr(member, data, method)
    return content.getvalue()


def tarred(*members: tuple[str, bytes], compressed: bool = True) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz" if compressed else "w") as whole:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            whole.addfile(info, io.BytesIO(data))
    return content.getvalue()


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


def packed(folder: Path, content: bytes, name: str = ZIP) -> Files:
    """Hand in an archive."""
    (folder / name).write_bytes(content)
    return Files(folder / name)


RELEASE = ("autograder/x.py", "course.toml", "docs/x.md", "exams/x.json", "solutions/part.py", "exercises/part.py")
CLONE = (*RELEASE, "tests/part.py", "course/part/steps.py", "benchmarks/part.py", "workbench/train.py")
OWN = ["course.toml", "exercises/part.py", "solutions/part.py"]

LISTED: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "the shallowest first": (("b/a.py", "c.py", "a.txt"), ["a.txt", "c.py", "b/a.py"]),
    "however deep": (("1/" * 50 + "part.py",), ["1/" * 50 + "part.py"]),
    "no junk": (("part.py", "README.md", ".DS_Store", "__MACOSX/part.py", ".ipynb_checkpoints/part.py"), ["part.py"]),
    "what is like junk": (("a.b", "readme_tools.py"), ["a.b", "readme_tools.py"]),
    "no environment": (("env/pyvenv.cfg", "env/lib/part.py", "env/Scripts/part.py", "part.py"), ["part.py", "env/pyvenv.cfg"]),
    "own files of a release": (RELEASE, OWN),
    "own files of a clone": (tuple(f"course/{name}" for name in CLONE), [f"course/{name}" for name in OWN]),
    "folders of those names": (("docs/x.md", "tests/part.py"), ["docs/x.md", "tests/part.py"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["folder", "zip", "tar"])
@pytest.mark.parametrize(("names", "found"), LISTED.values(), ids=LISTED)
def test_what_counts_is_listed(ada: Path, kind: str, names: tuple[str, ...], found: list[str]) -> None:
    members = [(name, b"") for name in names]
    if kind == "folder":
        files = fill(ada, *names)
    else:
        files = packed(ada, zipped(*members)) if kind == "zip" else packed(ada, tarred(*members), TAR)
    assert list(map(str, files.paths)) == found


# Reading a folder's files


def test_a_single_file_is_listed_alone(ada: Path) -> None:
    fill(ada, "part.py", "other.py")
    files = Files(ada / "part.py")
    assert (files.paths, files.read(MODULE), files.shown(MODULE)) == ([MODULE], b"part.py", "part.py")


def test_a_folder_that_must_not_be_read_is_a_problem(ada: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    assert Files(ada).problems == ["ada could not be read: Permission denied"]


def test_a_link_inside_is_followed_and_a_folder_that_is_a_link_is_not(ada: Path) -> None:
    (ada / "part.py").symlink_to("sub/mine.py")
    (ada / "again").symlink_to(".")

    files = fill(ada, "sub/mine.py")

    assert files.read(MODULE) == b"sub/mine.py"
    assert list(map(str, files.paths)) == ["again", "part.py", "sub/mine.py"]


@pytest.mark.parametrize(("name", "shown"), [(b"\x1b[2J.py", r"\x1b[2J.py"), (b"\xff.py", r"\udcff.py")])
def test_what_cannot_be_printed_of_a_path_is_escaped(ada: Path, name: bytes, shown: str) -> None:
    os.mkfifo(os.fsencode(ada) + b"/" + name)
    files = Files(ada)
    with pytest.raises(Unreadable) as caught:
        files.read(files.paths[0])
    assert str(caught.value) == f"ada/{shown} is no regular file."


# Archives


X = b"x = 1"
LARGE = ("model.bin", bytes(25_000_000))

ARCHIVES: dict[str, tuple[bytes, str, str]] = {
    "a zip": (zipped(("part.py", X)), ZIP, "part.py"),
    "a zip of Windows": (zipped(("homework\\part.py", X)), ZIP, "homework/part.py"),
    "a name that is there twice": (zipped(("part.py", b"first"), ("./part.py", X)), ZIP, "part.py"),
    "a zip beside a model in a zip": (zipped(("in.zip", zipped(("part.py", X), LARGE)), LARGE), ZIP, "in.zip/part.py"),
    "a zip that says too large sizes": (
        zipped(("part.py", X * 999)).replace(struct.pack("<I", 4_995), struct.pack("<I", 1 << 31)), ZIP, "part.py"
    ),
    "a zip with a damaged picture": (
        zipped(("part.py", X), ("photo.png", b"12345"), method=zipfile.ZIP_STORED).replace(b"12345", b"54321"), ZIP, "part.py"
    ),
    "a tar": (tarred(("hw/part.py", X), compressed=False), "ada.tar", "hw/part.py"),
    "a tgz": (tarred(("part.py", X)), "ada.TGZ", "part.py"),
    "a tar named tar.gz": (tarred(("part.py", X), compressed=False), TAR, "part.py"),
    "a tgz in a zip": (zipped(("in.tgz", tarred(("part.py", X)))), ZIP, "in.tgz/part.py"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "name", "path"), ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_is_read(ada: Path, content: bytes, name: str, path: str) -> None:
    assert packed(ada, content, name).read(PurePosixPath(path)).startswith(X)

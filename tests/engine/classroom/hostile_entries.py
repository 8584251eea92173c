"""Hostile submissions that are not a matter of what Python code does: archives, links, devices, notebooks, sources and names."""

import io
import json
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.submission.model import LARGEST_FILE

PART, OTHER = "part1_simplified", "part3_causal"

Texts = Mapping[str, str]
"""Honest modules by file name."""


@dataclass(frozen=True)
class Entry:
    """One hostile entry of the class folder.

    make: makes it under the given path (to which it may add an extension) with the honest modules. expected: verdicts by part,
    or by part and step; all else passes. message: what the student is told, in the part's error. name: of the entry, where
    the name is the attack.
    """

    make: Callable[[Path, Texts], object]
    expected: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    name: str = ""


def _folder(path: Path, texts: Texts) -> Path:
    path.mkdir()
    for name, text in texts.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def _honest(path: Path, texts: Texts) -> None:
    _folder(path, texts)


def _in_place_of_the_part(make: Callable[[Path], object]) -> Callable[[Path, Texts], None]:
    def run(path: Path, texts: Texts) -> None:
        _folder(path, {name: text for name, text in texts.items() if not name.startswith(PART)})
        make(path / f"{PART}.py")

    return run


def _source(content: bytes) -> Callable[[Path, Texts], None]:
    return _in_place_of_the_part(lambda path: path.write_bytes(content))


def _behind(text: str) -> Callable[[Path, Texts], None]:
    def run(path: Path, texts: Texts) -> None:
        _folder(path, {**texts, f"{PART}.py": f"{texts[f'{PART}.py']}\n\n{text}"})

    return run


def _beside(**modules: str) -> Callable[[Path, Texts], None]:
    def run(path: Path, texts: Texts) -> None:
        _folder(path, {**texts, **{f"{name}.py": text for name, text in modules.items()}})

    return run


def _notebook(content: bytes) -> Callable[[Path, Texts], None]:
    def make(path: Path) -> None:
        path.with_suffix(".ipynb").write_bytes(content)

    return _in_place_of_the_part(make)


def _notebook_of_commands(path: Path, texts: Texts) -> None:
    commands = (
        "!touch attn_was_here",
        "%%bash\ntouch attn_was_here",
        "%system id",
        "get_ipython().system('id')",
        "x = !id",
    )
    _notebook(_cells(*commands, texts[f"{PART}.py"]))(path, texts)


def _cells(*sources: object, **others: object) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} | others for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _zip(
    change: Callable[[zipfile.ZipFile], None], spoil: Callable[[bytes], bytes] = bytes
) -> Callable[[Path, Texts], None]:
    def run(path: Path, texts: Texts) -> None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
            with warnings.catch_warnings(action="ignore"):  # of a name that is there twice
                change(archive)
        path.with_suffix(".zip").write_bytes(spoil(buffer.getvalue()))

    return run


def _member(name: str, content: bytes = b"x = 1\n", mode: int = 0) -> Callable[[zipfile.ZipFile], None]:
    def change(archive: zipfile.ZipFile) -> None:
        member = zipfile.ZipInfo(name)
        member.external_attr = mode << 16
        member.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(member, content)

    return change


def _without_the_part(
    change: Callable[[zipfile.ZipFile], None], spoil: Callable[[bytes], bytes] = bytes
) -> Callable[[Path, Texts], None]:
    def run(path: Path, texts: Texts) -> None:
        _zip(change, spoil)(path, {name: text for name, text in texts.items() if not name.startswith(PART)})

    return run


def _many_members(archive: zipfile.ZipFile) -> None:
    for number in range(4_000):
        archive.writestr(f"{number}.py", "")


def _nested(archive: zipfile.ZipFile) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as other:
        other.writestr(f"{PART}.py", "raise SystemExit")
    archive.writestr("inner.zip", inner.getvalue())


def _bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr(f"{PART}.py", b"#" * 100_000_000)


def _bomb_of_helpers(archive: zipfile.ZipFile) -> None:
    for number in range(300):
        archive.writestr(f"helper{number}.py", b"#" * 90_000)


def _overlapping(content: bytes) -> bytes:
    """Let all entries of the table of contents lead to the same bytes."""
    end = content.rindex(b"PK\x05\x06")
    (start,) = struct.unpack_from("<I", content, end + 16)
    changed = bytearray(content)
    while (start := changed.find(b"PK\x01\x02", start)) >= 0 and start < end:
        struct.pack_into("<I", changed, start + 42, 0)
        start += 46
    return bytes(changed)


def _lying_sizes(content: bytes) -> bytes:
    """Claim that the last member has one byte when it is unpacked."""
    changed = bytearray(content)
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", changed, changed.rindex(signature) + place, 1)
    return bytes(changed)


def _encrypted(content: bytes) -> bytes:
    changed = bytearray(content)
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.rindex(signature) + place] |= 1
    return bytes(changed)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 << 30)


def _closed(path: Path, texts: Texts) -> None:
    (_folder(path, texts) / f"{PART}.py").chmod(0)


def _device(path: Path) -> None:
    if os.getuid() == 0:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    else:
        path.symlink_to("/dev/zero")


def _neighbours(path: Path) -> None:
    path.symlink_to(f"../000_honest/{PART}.py")


def _compiled(path: Path, texts: Texts) -> None:
    for name in (f"{PART}.so", "torch.so", f"{PART}.pyc", "usercustomize.pth", "pyvenv.cfg"):
        (path if path.exists() else _folder(path, texts)).joinpath(name).write_bytes(b"\x7fELF import os; os._exit(0)")


def _entry_link(target: str) -> Callable[[Path, Texts], None]:
    return lambda path, texts: path.symlink_to(target)


def _entry_fifo(path: Path, texts: Texts) -> None:
    os.mkfifo(path.with_suffix(".py"))


MISSING = {PART: "missing"}
NOTHING = {PART: "missing", OTHER: "missing"}

SHADOW = "raise SystemExit('in the place of a library')\n"

ENTRIES = {
    # archives
    "zip_slip": Entry(_zip(_member("../../attn_was_here.py"))),
    "zip_absolute": Entry(_zip(_member("/tmp/attn_was_here.py"))),
    "zip_of_windows_paths": Entry(_zip(_member("..\\..\\attn_was_here.py"))),
    "zip_link": Entry(
        _without_the_part(_member(f"{PART}.py", b"/etc/passwd", stat.S_IFLNK | 0o777)), MISSING, "SyntaxError"
    ),
    "zip_bomb": Entry(_without_the_part(_bomb), MISSING, "the most that is read"),
    "zip_bomb_of_helpers": Entry(_zip(_bomb_of_helpers), NOTHING, "characters of code in all"),
    "zip_overlapping": Entry(_without_the_part(_member(f"{PART}.py"), _overlapping), MISSING, "not be unpacked"),
    "zip_twice_the_same": Entry(_zip(_member(f"{PART}.py", b"raise SystemExit\n")), {PART: "raised"}),
    "zip_lying_about_sizes": Entry(
        _without_the_part(_member(f"{PART}.py", b"#" * 5_000_000), _lying_sizes), MISSING, "not be unpacked"
    ),
    "zip_encrypted": Entry(_without_the_part(_member(f"{PART}.py"), _encrypted), MISSING, "is encrypted"),
    "zip_of_many_members": Entry(_zip(_many_members)),
    "zip_in_zip": Entry(_without_the_part(_nested), {PART: "raised"}),
    "zip_that_is_none": Entry(
        lambda path, texts: path.with_suffix(".zip").write_bytes(b"PK\x03\x04 no zip"),
        NOTHING,
        "no zip archive",
    ),
    "zip_of_escapes": Entry(_zip(_member("\x1b[2J\n.py"))),
    # links, devices and other files that are none
    "link_to_passwd": Entry(
        _in_place_of_the_part(lambda path: path.symlink_to("/etc/passwd")), MISSING, "a link that leads out"
    ),
    "link_to_a_neighbour": Entry(_in_place_of_the_part(_neighbours), MISSING, "a link that leads out"),
    "link_to_itself": Entry(
        _in_place_of_the_part(lambda path: path.symlink_to(path.name)), MISSING, "is no regular file"
    ),
    "link_in_place_of_the_entry": Entry(_entry_link("/etc"), NOTHING, "is a link, which may"),
    "link_from_entry_to_its_class": Entry(_entry_link("."), NOTHING, "is a link, which may"),
    "link_from_entry_to_a_neighbour": Entry(_entry_link("000_honest"), NOTHING, "is a link, which may"),
    "fifo": Entry(_in_place_of_the_part(os.mkfifo), MISSING, "is no regular file"),
    "fifo_in_place_of_the_entry": Entry(_entry_fifo, NOTHING, ""),
    "device": Entry(_in_place_of_the_part(_device), MISSING, ""),
    "folder_in_place_of_the_part": Entry(_in_place_of_the_part(Path.mkdir), {PART: "absent"}),
    "file_without_rights": Entry(_closed, {} if os.getuid() == 0 else MISSING),
    "sparse_file": Entry(_in_place_of_the_part(_sparse), MISSING, "the most that is read"),
    # notebooks
    "notebook_deep": Entry(_notebook(b'{"cells":' + b"[" * 900_000), MISSING, "broken notebook"),
    "notebook_of_too_much": Entry(_notebook(b'{"cells":[' + b"[]," * 3_000_000 + b"[]]}"), MISSING, "broken notebook"),
    "notebook_with_huge_output": Entry(
        lambda path, texts: _notebook(_cells(texts[f"{PART}.py"], outputs=[{"text": "x" * 25_000_000}]))(path, texts)
    ),
    "notebook_of_strange_sources": Entry(
        _notebook(_cells(None, 7, {"a": 1}, [1, None, ["x"]], True, "\ud800 = 1")), MISSING, "broken notebook"
    ),
    "notebook_of_a_long_number": Entry(_notebook(b'{"cells": ' + b"9" * 1_000_000 + b"}"), MISSING, "broken notebook"),
    "notebook_of_commands": Entry(
        _notebook_of_commands,
    ),
    # sources that are hard to parse
    "source_of_brackets": Entry(_source(b"x = " + b"(" * 40_000 + b")" * 40_000), MISSING, "SyntaxError"),
    "source_of_dots": Entry(_source(b"import a" + b".a" * 45_000), MISSING, "too many dots, braces or digits"),
    "source_of_minuses": Entry(_source(b"x = " + b"-" * 90_000 + b"1"), MISSING, "nested too deeply"),
    "source_of_additions": Entry(_source(b"x = 1" + b"+1" * (LARGEST_FILE // 2 - 20)), MISSING, "SyntaxError"),
    "source_of_commas": Entry(_source(b"x = [" + b"0," * (LARGEST_FILE // 8) + b"]\nx, = []"), {PART: "raised"}, ""),
    "source_of_braces_in_text": Entry(
        _source(b"x = f'" + b"{0}" * (LARGEST_FILE // 8) + b"'"), MISSING, "too many dots, braces or digits"
    ),
    "source_of_a_long_integer": Entry(
        _source(b"unused = 0x" + b"f" * 5_000), MISSING, "too many dots, braces or digits"
    ),
    "source_of_targets": Entry(_source(b"x=" * (LARGEST_FILE // 16) + b"1\nraise ValueError"), {PART: "raised"}, ""),
    "source_of_functions": Entry(_source(b"def f():0\n" * 5_000 + b"raise ValueError"), {PART: "raised"}, "line 5001"),
    "source_of_a_line_of_definitions": Entry(
        _behind(
            "".join(f"x{one}=0 if 1 else x{one + 1};" for one in range(3_500))
            + "\ndot_product=lambda a, b: x0 * a.sum()\n"
        ),
        {f"{PART}.dot_product": "wrong_values"},
    ),
    "source_of_a_thousand_meanings": Entry(
        _beside(**{f"{PART}_again": "if False:\n" + "    dot_product = 1\n" * 4_500}),
    ),
    "source_of_two_mistakes": Entry(
        _behind("def dot_product(a, b):\n    return dot_product(a, b)\n\ndef broken(:\n    pass\n"),
        {f"{PART}.dot_product": "raised"},
        "RecursionError",
    ),
    "source_with_null": Entry(_source(b"x = 1\0\n"), MISSING, "null bytes"),
    "source_not_utf8": Entry(_source(b"x = '\x81\xff'\n"), MISSING, "is not UTF-8"),
    "source_of_another_coding": Entry(_source(b"# coding: koi8-r\nx = 1\n\xc1\n"), {PART: "raised"}, "NameError"),
    "source_of_a_slow_coding": Entry(
        _source(b"# coding: punycode\n" + b"#" * 49_000 + b"-4ca" + b"a" * 49_000 + b"\nraise ValueError"),
        {PART: "raised"},
        "ValueError",
    ),
    "source_of_no_coding": Entry(_source(b"# coding: attn\nx = 1\nraise ValueError"), {PART: "raised"}, "ValueError"),
    "source_of_one_line": Entry(_source(b"x = '" + b"x" * (LARGEST_FILE - 20) + b"' 1"), MISSING, "SyntaxError"),
    "source_too_long": Entry(_source(b"#" * 2_000_000), MISSING, "the most that is read"),
    # modules in the place of others
    "shadow_of_torch": Entry(_beside(torch=SHADOW, numpy=SHADOW, jaxtyping=SHADOW)),
    "shadow_of_the_library": Entry(
        _beside(json=SHADOW, socket=SHADOW, os=SHADOW, sys=SHADOW, builtins=SHADOW, re=SHADOW)
    ),
    "shadow_of_the_start": Entry(
        _beside(sitecustomize=SHADOW, usercustomize=SHADOW, conftest=SHADOW, __main__=SHADOW, __init__=SHADOW)
    ),
    "shadow_of_the_grader": Entry(_beside(autograder=SHADOW, click=SHADOW, rich=SHADOW, safetensors=SHADOW)),
    "shadow_that_is_compiled": Entry(_compiled),
    # names
    "name_with_newline": Entry(_honest, name="name\nwith\ttabs"),
    "name_with_escapes": Entry(_honest, name="name \x1b[2J\x1b]0;owned\x07\u202e"),
    "name_with_percent": Entry(_honest, name="name 100%s%n%%2F"),
    "name_with_dash": Entry(_honest, name="--help"),
    "name_with_markup": Entry(_honest, name="[bold red]name[\\bold]"),
    "name_not_utf8": Entry(_honest, name="name \udcff\udcfe"),
    "name_that_is_long": Entry(_honest, name="n" * 255),
    "name_that_is_as_long": Entry(_honest, name="n" * 254),
    "name_of_quotes": Entry(_honest, name='\'; DROP TABLE "marks" -- `id` $(id)'),
    "name_looks_like_marks": Entry(_honest, name="ada.0123456789abcdef.json"),
}

"""A class as it hands in: names, encodings, archives, copies and clutter of all kinds, each with the points that it should get."""

import codecs
import io
import json
import tarfile
import zipfile
from pathlib import Path

from autograder.exam.syllabus import load
from autograder.workspace import COURSE

SYLLABUS = load(COURSE.syllabus)
PART = SYLLABUS.part("part1_simplified")
NAME = PART.name

RIGHT = "\n".join(
    line
    for line in (COURSE.solutions / f"{NAME}.py").read_text(encoding="utf-8").split("\n")
    if "### BEGIN" not in line and "### END" not in line
)
STUB = PART.stub
ALL, NOTHING = 25.0, 0.0
LOST = "softmax"
LESS = ALL - next(step.points for step in PART.steps if step.name == LOST)

Files = dict[str, bytes]


def with_softmax(*lines: str, above: str = "") -> str:
    """Return the part with another right softmax: lines stand in it, after its scores and weights, and above it."""
    body = ["e = (scores - scores.amax(-1, keepdim=True)).exp()", "weights = e / e.sum(-1, keepdim=True)", *lines]
    return "\n".join([RIGHT, above, f"def {LOST}(scores):", *(f"    {line}" for line in body), "    return weights"])


def py(text: str = RIGHT, name: str = f"{NAME}.py", encoding: str = "utf-8") -> Files:
    return {name: text.encode(encoding)}


def notebook(*cells: str, name: str = f"{NAME}.ipynb", extra: str = "") -> Files:
    made = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
        for cell in (extra, *cells)
    ]
    metadata = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}}
    return {name: json.dumps({**metadata, "cells": made}).encode()}


def zipped(files: Files, name: str = "work.zip") -> Files:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return {name: content.getvalue()}


def tarred(files: Files, name: str = "work.tar.gz", compressed: bool = True) -> Files:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz" if compressed else "w") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return {name: content.getvalue()}


def within(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": data for name, data in files.items()}


RENAMED = (
    f"{NAME}.py",
    "part1.py",
    "Part1_Simplified.py",
    "PART1_SIMPLIFIED.PY",
    "part1 simplified.py",
    f"{NAME} (1).py",
    f"{NAME}(2).py",
    f"{NAME}_final.py",
    f"{NAME}_final_FINAL_v2.py",
    f"Copy of {NAME}.py",
    f"Copy of Copy of {NAME}.py",
    f"Copy_of_{NAME}.py",
    f"Kopie von {NAME}.py",
    f"{NAME} - Copy.py",
    f"{NAME} copy.py",
    f"ada_{NAME}.py",
    f"12345_{NAME}_Lovelace.py",
    f"{NAME}.py.txt",
    f"{NAME}.py.download",
    f"{NAME}.PY.TXT",
    f"{NAME}-2.py",
    "homework.py",
    "abgabe übung.py",
    "作业.py",
    "untitled.py",
    "hw 1.final.py",
)

RENAMED_NOTEBOOKS = (
    f"{NAME}.ipynb",
    f"Copy of {NAME}.ipynb",
    f"Copy of Copy of {NAME}.ipynb",
    f"{NAME}_final.ipynb",
    f"{NAME}.ipynb.txt",
    f"{NAME}.ipynb.json",
    f"{NAME} (3).ipynb",
    "Untitled.ipynb",
    "part1.IPYNB",
)

COMMENT = "# Übung: café, naïve\n"

WRITTEN: dict[str, tuple[Files, float]] = {
    "byte order mark": ({f"{NAME}.py": codecs.BOM_UTF8 + RIGHT.encode()}, ALL),
    "UTF-16": (py(encoding="utf-16"), ALL),
    "UTF-16 for Mac": ({f"{NAME}.py": codecs.BOM_UTF16_BE + RIGHT.encode("utf-16-be")}, ALL),
    "Latin-1 that is named": (py(f"# -*- coding: latin-1 -*-\n{COMMENT}{RIGHT}", encoding="latin-1"), ALL),
    "Latin-1 that is not named": (py(COMMENT + RIGHT, encoding="latin-1"), ALL),
    "Windows-1252": (py(f"# “quoted” – so\n{RIGHT}", encoding="windows-1252"), ALL),
    "Japanese that is named": (py(f"# coding: shift_jis\n# 日本\n{RIGHT}", encoding="shift_jis"), ALL),
    "line ends of Windows": (py(RIGHT.replace("\n", "\r\n")), ALL),
    "line ends of old Macs": (py(RIGHT.replace("\n", "\r")), ALL),
    "mixed line ends": (py(RIGHT.replace("\n", "\r\n", 20)), ALL),
    "no line end": (py(RIGHT.rstrip()), ALL),
    "spaces at line ends": (py(RIGHT.replace("\n", "   \n")), ALL),
    "blank lines": (py("\n" * 50 + RIGHT + "\n" * 50), ALL),
    "comments in many languages": (py(f"# 你好 مرحبا שלום 🎉\n{RIGHT}"), ALL),
    "tabs after it": (py(f"{RIGHT}\n\nif __name__ == '__main__':\n\tprint('done')\n"), ALL),
    "prints": (py(f"print('hello')\n{RIGHT}\nprint('bye')\n"), ALL),
    "tries itself out and fails": (py(f"{RIGHT}\nassert dot_product(1, 2) == 5\n"), ALL),
    "asks": (py(f"name = input('Name? ')\n{RIGHT}"), ALL),
    "reads a file that is not there": (py(f"{RIGHT}\ndata = open('data.csv').read()\n"), ALL),
    "plots": (py(f"import no_such_plotting.pyplot as plt\n{RIGHT}\n\ndef plot():\n    plt.show()\n"), ALL),
    "plots at once": (py(f"import no_such_plotting.pyplot as plt\n{RIGHT}\nplt.plot([1])\nplt.show()\n"), ALL),
    "a library from another": (py(f"from no_such_library import this, that\n{RIGHT}"), ALL),
    "a library for types": (
        py(f"import no_such_library as lib\n{RIGHT}\n\ndef draw(axes: lib.Axes):\n    pass\n"),
        ALL,
    ),
    "a helper that plots": (
        py(f"from helper import shift\n{RIGHT}") | py("import no_such_plotting\nshift = 1\n", "helper.py"),
        ALL,
    ),
    "a library beside one that is here": (
        py("import math, no_such_library as lib\n" + with_softmax("weights = weights * math.copysign(1, 1)")),
        ALL,
    ),
    "a library that a step does without": (
        py(
            "try:\n    import no_such_library\nexcept ImportError:\n    no_such_library = None\n"
            + with_softmax("if no_such_library:", "    weights = 0")
        ),
        ALL,
    ),
    "plots in a step": (
        py("import no_such_plotting.pyplot as plt\n" + with_softmax("plt.imshow(weights.tolist())", "plt.show()")),
        ALL,
    ),
    "plots axes in a step": (
        py(
            "from no_such_plotting import pyplot as plt\n"
            + with_softmax("figure, (left, right) = plt.subplots(1, 2)", "left.plot([1])", "plt.rc['dpi'] = 9")
        ),
        LESS,
    ),
    "imports what plots in a step": (
        py(with_softmax("import no_such_plotting.pyplot as plt", "with plt.style.context('x'):", "    plt.plot([1])")),
        ALL,
    ),
    "a progress bar in a step": (
        py(
            "from no_such_progress.auto import bar\n"
            + with_softmax("for _ in bar(range(3), leave=False):", "    e = e * 1")
        ),
        ALL,
    ),
    "a decorator that checks types": (
        py("from no_such_types import typed, checked\n" + with_softmax(above="@checked\n@typed(strict=True)")),
        ALL,
    ),
    "a library for types in a step": (
        py(
            "import no_such_library as lib\n"
            + with_softmax("if isinstance(scores, lib.Array):", "    weights: lib.Array | None = None")
        ),
        ALL,
    ),
    "a library that does the work": (
        py("from no_such_library import special\n" + with_softmax("weights = special.softmax(scores)")),
        LESS,
    ),
    "a library that is handed on": (
        py(
            "import no_such_library as lib\n" + with_softmax("weights = weights + torch.zeros_like(lib.tensor(scores))")
        ),
        LESS,
    ),
    "a library around what is forbidden": (
        py(
            "import no_such_library as lib\n"
            + with_softmax("weights = lib.typed(lambda s: torch.softmax(s, -1))(scores)")
        ),
        LESS,
    ),
    "a library that does some of it": (
        py("import no_such_library as lib\n" + with_softmax("weights = weights * lib.one(scores)")),
        LESS,
    ),
    "a library that decides": (
        py("import no_such_library as lib\n" + with_softmax("if lib.is_nan(scores):", "    weights = 0")),
        LESS,
    ),
    "an unclosed bracket in what it needs not": (py(f"{RIGHT}\n\ndef extra(x):\n    return (x\n"), ALL),
    "an unclosed bracket in a step": (py(RIGHT.replace(f"def {LOST}(", f"def {LOST}((")), LESS),
    "a step is not there": (py(RIGHT.replace(f"def {LOST}(", "def my_own(")), LESS),
    "a null byte": ({f"{NAME}.py": RIGHT.encode() + b"\0"}, ALL),
    "a stub": (py(STUB), NOTHING),
    "a stub with a name": (py(f"# Ada Lovelace\n{STUB}"), NOTHING),
    "nothing in it": (py(""), NOTHING),
    "another language": (py("public class Main { }"), NOTHING),
    "a picture": ({f"{NAME}.py": b"\x89PNG\r\n\x1a\n\0\0\0"}, NOTHING),
    "a broken notebook": ({f"{NAME}.ipynb": b'{"cells": ['}, NOTHING),
    "a document": ({"homework.pdf": b"%PDF-1.4"}, NOTHING),
    "a notebook with magics": (notebook(RIGHT, extra="%matplotlib inline\n!pip install torch\n"), ALL),
    "a notebook with a broken cell": (notebook("def broken(:\n", RIGHT), ALL),
    "a notebook that raises": (notebook("1 / 0", RIGHT, "assert False"), ALL),
    "a notebook of Colab": (notebook(RIGHT, extra="from google.colab import drive\ndrive.mount('/content')"), ALL),
}

PACKED: dict[str, tuple[Files, float]] = {
    "a zip": (zipped(py()), ALL),
    "a zip in a zip": (zipped(zipped(py())), ALL),
    "three zips": (zipped(zipped(zipped(within("src", py())))), ALL),
    "a zip with another ending": (zipped(py(), "WORK.ZIP"), ALL),
    "a tar.gz": (tarred(py()), ALL),
    "a tgz": (tarred(py(), "work.tgz"), ALL),
    "a tar": (tarred(py(), "work.tar", compressed=False), ALL),
    "a tar named tar.gz": (tarred(py(), compressed=False), ALL),
    "a zip in a tar.gz": (tarred(zipped(py())), ALL),
    "a tar.gz in a zip": (zipped(tarred(py())), ALL),
    "a deep folder": (within("a/b/c/d/e/f", py()), ALL),
    "a folder in a folder of its name": (within(f"{NAME}/{NAME}", py()), ALL),
    "a zip of Windows": (zipped({f"hw\\{NAME}.py": RIGHT.encode()}), ALL),
    "a zip of macOS": (zipped(py() | {f"__MACOSX/._{NAME}.py": b"\0\5\x16\7"}), ALL),
    "a zip beside a model": (zipped(py() | {"model.pt": bytes(25_000_000)}), ALL),
    "a broken zip beside it": (py() | {"old.zip": b"PK\3\4"}, ALL),
    "a broken zip": ({"work.zip": b"PK\3\4"}, NOTHING),
    "a rar": ({"work.rar": b"Rar!"}, NOTHING),
    "an empty zip": (zipped({}), NOTHING),
}

CLUTTER = {f"lib/python3.11/package/{number}.py": b"x = 1" for number in range(2_100)} | {"pyvenv.cfg": b""}

BESIDE: dict[str, tuple[Files, float]] = {
    "a stub beside a copy": (py(STUB) | py(RIGHT, f"{NAME} (1).py"), ALL),
    "a stub as a copy": (py(RIGHT) | py(STUB, f"{NAME} (1).py"), ALL),
    "old and new": (within("old", py(STUB)) | within("new", py(RIGHT)), ALL),
    "new and old": (within("new", py(STUB)) | within("old", py(RIGHT)), ALL),
    "a stub notebook beside a module": (notebook(STUB) | py(RIGHT), ALL),
    "a stub module beside a notebook": (notebook(RIGHT) | py(STUB), ALL),
    "a stub notebook under another name": (notebook(STUB, name="start.ipynb") | py(RIGHT, "part1.py"), ALL),
    "a stub in a zip": (zipped(py(STUB)) | py(RIGHT), ALL),
    "work in a zip beside a stub": (zipped(py(RIGHT)) | py(STUB), ALL),
    "the same twice": (py() | py(name=f"copy/{NAME}.py"), ALL),
    "half and whole": (py(RIGHT.replace(f"def {LOST}(", "def no("), "half.py") | py(), ALL),
    "a broken copy": (py() | py("def (", f"{NAME}_backup.py"), ALL),
    "checkpoints": (py() | within(".ipynb_checkpoints", notebook(STUB)), ALL),
    "compiled": (py() | {f"__pycache__/{NAME}.cpython-311.pyc": b"\0"}, ALL),
    "a folder of git": (py() | {".git/HEAD": b"ref: refs/heads/main", ".git/config": b""}, ALL),
    "an environment": (py() | within("venv", CLUTTER), ALL),
    "an environment of another name": (py() | within("env", CLUTTER), ALL),
    "an environment in a folder": (py() | within("hw/my stuff", CLUTTER), ALL),
    "an environment in a zip": (zipped(py() | within("env", CLUTTER)), ALL),
    "an environment in a tar.gz": (tarred(py() | within("env", CLUTTER)), ALL),
    "modules of node": (py() | {f"node_modules/{number}.js": b"" for number in range(2_100)}, ALL),
    "a report": (py() | {"report.pdf": b"%PDF-1.4", "notes.docx": b"PK", "photo.JPG": b""}, ALL),
    "data": (py() | {"data.csv": b"1,2" * 1_000, "weights.pt": bytes(3_000_000)}, ALL),
    "what systems leave": (py() | {"Thumbs.db": b"", "desktop.ini": b"", ".DS_Store": b""}, ALL),
    "many files": (py() | {f"{number}.txt": b"" for number in range(2_100)}, ALL),
    "another part": (py(SYLLABUS.parts[1].stub, f"{SYLLABUS.parts[1].name}.py"), NOTHING),
    "both parts": (py() | py(SYLLABUS.parts[1].stub, f"{SYLLABUS.parts[1].name}.py"), ALL),
    "nothing": ({"README.md": b"sorry"}, NOTHING),
}

CLASS: dict[str, tuple[Files, float]] = {
    **{f"as {name}": (py(name=name), ALL) for name in RENAMED},
    **{f"as {name}": (notebook(RIGHT, name=name), ALL) for name in RENAMED_NOTEBOOKS},
    **{f"in a zip as {name}": (zipped(within("hw", py(name=name))), ALL) for name in RENAMED[::4]},
    **WRITTEN,
    **PACKED,
    **BESIDE,
}


def write(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def canvas(number: int, files: Files) -> Files:
    """Return files as Canvas names them; folders are handed in as a zip."""
    files = zipped(files) if any("/" in name for name in files) else files
    return {
        f"student{number}_{'LATE_' if number % 5 == 0 else ''}{number + 1_000}_{9_000 + 10 * number + place}_{name}": data
        for place, (name, data) in enumerate(files.items())
    }


def moodle(number: int, files: Files) -> Files:
    return within(f"Student {number}_{number + 1_000}_assignsubmission_file_", files)

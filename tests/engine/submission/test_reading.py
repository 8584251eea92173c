"""What a student hands in, as a submission: which files are the parts, the notes on the others, and why one cannot be read."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.check import check
from autograder.classroom.looks import looks_of
from autograder.exam.model import Exam
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart, load
from autograder.grading.grade import digest
from autograder.runner.processes import Runner
from autograder.site.notebooks import code, setup
from autograder.submission import reading
from autograder.submission.model import LARGEST_FILE, Source, Submission, Urgency, shown
from autograder.submission.reading import REFERENCE, Reader, read_hand_in
from autograder.workspace import COURSE, Workspace

Files = dict[str, str | bytes]

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
STUB, STUB_2 = (part.stub for part in PARTS)

ONE = "def dot_product(a, b):\n    return a @ b\n"
OTHER = "def dot_product(a, b):\n    return (a * b).sum()\n"
TWO = f"{ONE}\n\ndef attention_scores(query, inputs):\n    return inputs @ query\n"
PROJECTED = "def project_qkv(x, w_query, w_key, w_value):\n    return x\n"
BROKEN = "def dot_product(a, b:\n    return a @ b\n"
ALL_1, ALL_2 = ("".join(f"def {step.name}(*x):\n    return x\n" for step in part.steps) for part in PARTS)


def notebook(*cells: object) -> str:
    made = [nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return nbformat.writes(nbformat.v4.new_notebook(cells=made))


def stub_notebook(part: SyllabusPart) -> str:
    """Return a part's notebook as a release holds it."""

    def cell(text: str, **nbgrader: bool) -> object:
        known = {"schema_version": 3, "solution": False, "grade": False, "locked": True, "grade_id": text} | nbgrader
        return nbformat.v4.new_code_cell(text, metadata={"nbgrader": known})

    cells = [cell(setup(part, part.stub))]
    for step in part.steps:
        cells.append(cell(code(stub_of_step(part, step)), solution=True, locked=False))
        cells.append(cell(f'check("{step.path}")', grade=True))
    return notebook(*cells)


def release(**exercises: str) -> Files:
    """Return the files of a whole release by path. exercises: its modules as they are by now."""
    files: Files = {"course.toml": "", "autograder/workspace.py": "", "exams/syllabus.json": "{}", "docs/helper.py": ""}
    for part in PARTS:
        files[f"exercises/{part.name}.py"] = exercises.get(part.name, part.stub)
        files[f"notebooks/{part.name}.ipynb"] = stub_notebook(part)
        files[f"course/{part.name}/{part.name}.py"] = OTHER
    return files


def clone(**exercises: str) -> Files:
    """Return the files of a clone of the whole course, its solutions included."""
    files: Files = {".git/HEAD": ""}
    for part in PARTS:
        files |= {f"solutions/{part.name}.py": f"{REFERENCE}\n{TWO}", f"course/{part.name}/alternatives.py": TWO}
        files |= {f"tests/{part.name}.py": TWO, f"benchmarks/{part.name}.py": TWO}
    return {path: text for path, text in (release(**exercises) | files).items() if not path.startswith("notebooks")}


def zipped(files: Files) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def as_folder(tmp_path: Path, files: Files) -> Path:
    (tmp_path / "ada").mkdir(exist_ok=True)
    for name, text in files.items():
        path = tmp_path / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "ada"


def as_zip(tmp_path: Path, files: Files) -> Path:
    (tmp_path / "ada.zip").write_bytes(zipped(files))
    return tmp_path / "ada.zip"


def texts(submission: Submission) -> dict[str, str]:
    return {name: source.text for name, source in submission.modules.items()}


def notes(submission: Submission) -> list[str]:
    """Return the notes, each after its urgency."""
    urgency = {look.says: look.urgency for look in submission.looks}
    return [f"{urgency.get(note, Urgency.TOLD)}: {note}".replace("ada.zip/", "ada/") for note in submission.notes]


def problems(submission: Submission) -> dict[str, str]:
    return {name: failure.message for name, failure in submission.problems.items()}


IS_MARKED = f"must act: ada/{FIRST}.py was marked, not ada/"

READ: dict[str, tuple[Files, dict[str, str], list[str]]] = {
    # by name and by steps
    "a part in a deep folder": ({f"my homework/b/c/d/e/{FIRST}.py": ONE}, {FIRST: ONE}, []),
    "parts in several folders": ({f"a/{FIRST}.py": ONE, f"b/{SECOND}.py": PROJECTED}, {FIRST: ONE, SECOND: PROJECTED}, []),
    "a notebook": ({f"ps1/{FIRST}.ipynb": notebook(ONE)}, {FIRST: ONE}, []),
    "by steps": ({"my homework.py": ONE}, {FIRST: ONE}, [f"told: ada/my homework.py was taken for {FIRST}."]),
    "names mixed up": ({f"{FIRST}.py": ALL_2, f"{SECOND}.py": ALL_1}, {FIRST: ALL_1, SECOND: ALL_2}, ["told", "told"]),
    "a stub in the name of another": ({f"{FIRST}.py": ALL_2, f"{SECOND}.py": STUB_2}, {SECOND: ALL_2}, [f"check: ada/{FIRST}.py is named like", "told"]),
    "two parts in one file": ({"all of it.py": ALL_1 + ALL_2}, {SECOND: ALL_1 + ALL_2}, [f"check: ada/all of it.py was marked as {SECOND}", "told"]),
    "its own name first": ({f"{FIRST}.py": ALL_1 + ALL_2}, {FIRST: ALL_1 + ALL_2}, [f"check: ada/{FIRST}.py was marked as {FIRST}"]),
    "with helpers of another part": ({f"{SECOND}.py": PROJECTED + ONE}, {SECOND: PROJECTED + ONE}, []),
    "two parts, of which one has a file": ({f"{FIRST}.py": ALL_1, f"{SECOND}.py": PROJECTED + ALL_1}, {FIRST: ALL_1, SECOND: PROJECTED + ALL_1}, []),
    "assigned steps": ({f"{FIRST}.py": "dot_product = lambda a, b: a @ b\n"}, {FIRST: "dot_product = lambda a, b: a @ b\n"}, []),
    "none of its steps": ({f"{FIRST}.py": ALL_1, f"{SECOND}.py": "x = 1"}, {FIRST: ALL_1, SECOND: "x = 1"}, [f"check: ada/{SECOND}.py is named like"]),
    **{f"as {name}": ({name: PROJECTED}, {SECOND: PROJECTED}, []) for name in (
        f"{SECOND} (1).py", f"{SECOND}-Copy1.py", f"Copy of {SECOND}.py", f"my {SECOND}_old.py.txt")},
    # work beside a stub
    **{f"a stub beside {name}": ({f"{FIRST}.py": STUB, name: ONE}, {FIRST: ONE}, []) for name in (
        f"{FIRST} (1).py", f"old/{FIRST}.py", f"Copy of {FIRST}.py", f"old/{FIRST.title()}-2.PY")},
    "a stub beside another name": ({f"{FIRST}.py": STUB, "mine.py": ONE}, {FIRST: ONE, "mine": ONE}, ["told: ada/mine.py was taken for"]),
    "a stub notebook": ({f"{FIRST}.ipynb": stub_notebook(PARTS[0]), f"old/{FIRST}.py": ONE}, {FIRST: ONE}, []),
    "a stub beside a notebook": ({f"old/{FIRST}.ipynb": notebook(ONE), f"{FIRST}.py": STUB}, {FIRST: ONE}, []),
    "a stub beside what is no Python": ({f"{FIRST}.py": STUB, f"old/{FIRST}.py": BROKEN}, {FIRST: BROKEN}, []),
    "a step that is begun": ({f"{FIRST}.py": STUB, f"old/{FIRST}.py": "def dot_product(a, b):\n    x = 1\n    raise NotImplementedError\n"}, {FIRST: "def dot_product(a, b):\n    x = 1\n    raise NotImplementedError\n"}, []),
    "stubs alone": ({f"a/{FIRST}.py": STUB, f"b/{FIRST}.py": STUB}, {FIRST: STUB}, []),
    "each part from elsewhere": ({f"a/{FIRST}.py": ONE, f"a/{SECOND}.py": STUB_2, f"b/{FIRST}.py": STUB, f"b/{SECOND}.py": PROJECTED}, {FIRST: ONE, SECOND: PROJECTED}, []),
    "tests beside it": ({f"a/{FIRST}.py": ONE, f"test_{FIRST}.py": "def test_dot_product():\n    assert True\n"}, {FIRST: ONE}, []),
    # several with work
    "more steps": ({f"{FIRST}.py": ONE, f"old/{FIRST}.ipynb": notebook(TWO)}, {FIRST: TWO}, []),
    "a plainer place": ({f"{FIRST}.py": ONE, f"old/{FIRST}.py": OTHER}, {FIRST: ONE}, [f"{IS_MARKED}old/{FIRST}.py"]),
    "a plainer name": ({f"{FIRST}.py": ONE, f"{FIRST} (1).py": OTHER}, {FIRST: ONE}, [f"{IS_MARKED}{FIRST} (1).py"]),
    "a name that says it": ({f"{FIRST}.py": OTHER, "mine.py": TWO}, {FIRST: OTHER, "mine": TWO}, [f"{IS_MARKED}mine.py"]),
    "a notebook before a module": ({f"{FIRST}.py": ONE, f"{FIRST}.ipynb": notebook(OTHER)}, {FIRST: OTHER}, ["must act: "]),
    "the first of the alphabet": ({f"b/{FIRST}.py": OTHER, f"a/{FIRST}.py": ONE}, {FIRST: ONE}, ["must act: "]),
    "the same twice": ({f"a/{FIRST}.py": ONE, f"b/{FIRST}.py": f"# as it was\n{ONE}"}, {FIRST: ONE}, []),
    "one that is imported": ({f"{FIRST}.py": f"from mine import dot_product\n{OTHER}", "mine.py": TWO}, {FIRST: f"from mine import dot_product\n{OTHER}", "mine": TWO}, []),
    "a broken notebook beside work": ({f"a/{FIRST}.ipynb": "{", f"b/{FIRST}.py": ONE}, {FIRST: ONE}, [f"must act: ada/a/{FIRST}.ipynb is a broken notebook"]),
    # the whole course
    "a release": (release(**{FIRST: ONE}), {FIRST: ONE, SECOND: stub_notebook(PARTS[1])}, []),
    "a clone": ({f"course/{name}": text for name, text in clone(**{FIRST: ONE}).items()}, {FIRST: ONE, SECOND: STUB_2}, []),
    # beside it
    "a helper": ({f"a/{FIRST}.py": ONE, "a/tools.py": "y = 2", "a/__init__.py": ""}, {FIRST: ONE, "tools": "y = 2", "__init__": ""}, []),
    "what no part could import": ({f"{FIRST}.py": ONE, "elsewhere/tools.py": "", "my tools.py": "", "tools.txt": ""}, {FIRST: ONE}, []),
    "a helper that is too large": ({f"{FIRST}.py": ONE, "tools.py": "#" * (LARGEST_FILE + 1)}, {FIRST: ONE}, ["check: ada/tools.py has more than 100,000 bytes"]),
    "documents": ({f"{FIRST}.py": ONE, "answers.pdf": "", f"{FIRST}.html": "", f"{FIRST}.py.bak": "", "notes.md": ""}, {FIRST: ONE}, []),
    "a closed archive": ({f"{FIRST}.py": ONE, "rest.rar": "?"}, {FIRST: ONE}, ["check: ada/rest.rar was not read"]),
    "another part as a document": ({f"{FIRST}.py": ONE, f"my {SECOND}.docx": "?"}, {FIRST: ONE}, [f"check: ada/my {SECOND}.docx was not read"]),
    "no part": ({"main.py": "", "part2.txt": "", "__MACOSX/x": "", "README.md": ""}, {}, ["must act: No part was found: there is `main.py`, `part2.txt`. Expected: part1_simplified.py"]),
    "nothing": ({".hidden": ""}, {}, ["must act: The hand-in is empty. Expected: part1_simplified.py"]),
    # archives within
    "a zip within": ({f"{FIRST}.py": STUB, "homework.zip": zipped({f"mine/{FIRST}.py": ONE})}, {FIRST: ONE}, []),
    "a zip in a zip": ({"outer.zip": zipped({"inner.zip": zipped({f"{FIRST}.py": ONE})})}, {FIRST: ONE}, []),
    "a broken zip within": ({f"{FIRST}.py": ONE, "homework.zip": b"Rar!"}, {FIRST: ONE}, ["check: ada/homework.zip is no zip archive that can be read"]),
    # encodings
    "Latin-1": ({f"{FIRST}.py": f"# café\n{ONE}".encode("latin-1")}, {FIRST: f"# café\n{ONE}"}, [f"told: ada/{FIRST}.py is not UTF-8 text, and was read as windows-1252."]),
    "UTF-16": ({f"{FIRST}.py": f"# café\n{ONE}".encode("utf-16")}, {FIRST: f"# café\n{ONE}"}, ["told: "]),
    "a coding line": ({f"{FIRST}.py": f"# coding: latin-1\n# café\n{ONE}".encode("latin-1")}, {FIRST: f"# coding: latin-1\n# café\n{ONE}"}, []),
}  # fmt: skip


@pytest.mark.parametrize("hand_in", [as_folder, as_zip], ids=["folder", "zip"])
@pytest.mark.parametrize("case", READ)
def test_a_hand_in_is_read(tmp_path: Path, case: str, hand_in: Callable[[Path, Files], Path]) -> None:
    files, expected, said = READ[case]

    submission = read_hand_in(hand_in(tmp_path, files), "ada", PARTS)

    if case != "a release":  # whose notebook is its cells
        assert (texts(submission), problems(submission)) == (expected, {})
    assert len(notes(submission)) == len(said)
    assert [note for note, begins in zip(notes(submission), said, strict=True) if not note.startswith(begins)] == []


UNREADABLE: dict[str, tuple[str, Files, str, str]] = {
    "a broken notebook": ("ada", {f"{FIRST}.ipynb": "{", f"{SECOND}.py": "x = 1"}, FIRST, "is a broken notebook"),
    "a broken notebook beside a stub": ("ada", {f"{FIRST}.ipynb": "{", f"{FIRST}.py": STUB}, FIRST, "is a broken notebook"),
    "an empty file": ("ada", {f"{FIRST}.py": "\n"}, FIRST, f"ada/{FIRST}.py is empty."),
    "no text": ("ada", {f"{FIRST}.py": b"# \x81"}, FIRST, "is not UTF-8 text"),
    "a broken zip alone": ("ada", {"homework.zip": b"Rar!"}, SECOND, "is no zip archive"),
    "any part": ("ada/ada.py", {"ada.py": "x = 1"}, SECOND, "Mark it with `--part PART`"),
    "another kind": ("ada/ada.rar", {"ada.rar": ""}, SECOND, "A folder, a .py, an .ipynb, a .zip or a .tar.gz was expected."),
    "nothing there": ("bob.zip", {}, SECOND, "No such file"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "files", "part", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_a_problem_of_its_part(
    tmp_path: Path, name: str, files: Files, part: str, says: str
) -> None:
    as_folder(tmp_path, files)
    assert says in problems(read_hand_in(tmp_path / name, "ada", PARTS))[part]


@pytest.mark.parametrize("name", ["ada", "ada.zip", "ada.py", "ada.tar.gz"])
def test_an_entry_that_is_a_fifo_is_a_problem_of_every_part(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert set(read_hand_in(tmp_path / name, "ada", PARTS, FIRST).problems) == {FIRST, SECOND}


@pytest.mark.parametrize("target", ["ada", f"ada/{FIRST}.py", "/etc", "nowhere"])
@pytest.mark.parametrize("name", ["bob", "bob.py", "bob.zip"])
def test_an_entry_that_is_a_link_takes_nobody_s_work(tmp_path: Path, name: str, target: str) -> None:
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1"})
    (tmp_path / name).symlink_to(target)

    found = read_hand_in(tmp_path / name, "bob", PARTS, FIRST)

    told = f"{name} is a link, which may lead to somebody else's work. Put the work itself there."
    assert (found.modules, problems(found)) == ({}, {FIRST: told, SECOND: told})


@pytest.mark.parametrize(
    ("name", "text", "only_part", "part"),
    [
        ("ada.py", "x = 1", SECOND, SECOND),
        ("ada.ipynb", notebook("x = 1"), SECOND, SECOND),
        (f"{SECOND}.py", "x = 1", "", SECOND),
        ("ada.py", ONE, "", FIRST),
    ],
)
def test_a_single_file_is_a_part(tmp_path: Path, name: str, text: str, only_part: str, part: str) -> None:
    (tmp_path / name).write_text(text)
    assert set(read_hand_in(tmp_path / name, "ada", PARTS, only_part).modules) == {part}


# What runs with a part


def test_each_part_has_the_modules_of_its_own_folder_first(tmp_path: Path) -> None:
    files: Files = {
        f"a/{FIRST}.py": f"import tools\n{ONE}",
        f"b/{SECOND}.py": f"import {FIRST}, more, tools\n{PROJECTED}",
        "a/more.py": "y = 1",
        "a/tools.py": "x = 1",
        "b/tools.py": "x = 2",
    }
    submission = read_hand_in(as_folder(tmp_path, files), "ada", PARTS)

    found = [submission.code_of(part)["tools"].text for part in (FIRST, SECOND)]
    assert (found, notes(submission)) == (["x = 1", "x = 2"], [])
    assert set(submission.code_of(SECOND)) == {FIRST, SECOND, "more", "tools"}


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("def f():\n    from tools import (\n        x)", True),
        ("import math; import tools.inner as y", True),
        ("try:\n    pass\nexcept ValueError:\n    import tools", True),
        ("import tools\nand a line that is no Python", True),
        ("import ｔｏｏｌｓ", True),
        ('"""with my tools\nfrom tools I have the idea\n"""', False),
    ],
)
def test_a_part_runs_with_the_modules_that_it_imports(text: str, imports: bool) -> None:
    modules = {FIRST: text, "tools": "import more", "more": "", "rest": ""}
    submission = Submission("ada", {name: Source.module(f"{name}.py", of) for name, of in modules.items()})

    assert submission.code_of(FIRST).keys() == ({FIRST, "tools", "more"} if imports else {FIRST})


@pytest.mark.parametrize(("text", "same"), [("import impl\n", False), ("import math\n", True)])
def test_the_digest_of_a_part_is_of_what_it_imports_too(text: str, same: bool) -> None:
    of = {FIRST: Source.module(f"{FIRST}.py", text)}
    one, other = (Submission("ada", of | {"impl": Source.module("impl.py", helper)}) for helper in ("x = 1", "x = 2"))

    assert (digest(one.code_of(FIRST)) == digest(other.code_of(FIRST))) == same


def test_the_digest_is_of_the_text_alone_and_covers_every_cell(tmp_path: Path) -> None:
    digests = [
        digest(read_hand_in(as_folder(tmp_path / name, {f"{FIRST}.ipynb": notebook(text)}), name, PARTS).modules)
        for name, text in (("one", "x = 1"), ("two", "x = 1"), ("three", "x = 2"))
        if not (tmp_path / name).mkdir()
    ]

    assert digests[0] == digests[1] != digests[2]


def test_a_notebook_and_modules_of_several_folders_run_together(tmp_path: Path, runner: Runner, practice: Exam) -> None:
    files: Files = {
        f"a/{FIRST}.ipynb": notebook(
            "%time\nfrom tools import times\ndef dot_product(a, b):\n    return times(a, b).sum()"
        ),
        "a/tools.py": "def times(a, b):\n    return a * b\n",
        f"b/{SECOND}.py": "from tools import root\ndef scale_scores(scores, d_k):\n    return scores / root(d_k)\n",
        "b/tools.py": "def root(x):\n    return x**0.5\n",
    }
    steps = [practice.syllabus.part(FIRST).step("dot_product"), practice.syllabus.part(SECOND).step("scale_scores")]

    marks = check(practice, read_hand_in(as_zip(tmp_path, files), "ada", PARTS), steps, runner)

    assert [step.verdict for part in marks.parts for step in part.steps] == ["passed", "passed"]


def test_who_hands_in_the_whole_release_has_the_points_and_needs_no_look(
    practice: Exam, course: Workspace, tmp_path: Path, runner: Runner
) -> None:
    part = practice.syllabus.part(FIRST)
    path = as_zip(tmp_path, release(part1_simplified=(course.solutions / f"{FIRST}.py").read_text(encoding="utf-8")))

    marks = check(practice, read_hand_in(path, "ada", practice.syllabus.parts), part.steps, runner)

    assert (marks.score, looks_of(marks)) == (part.points, [])


# The process that reads


@pytest.mark.slow
@pytest.mark.parametrize("files", [20, 0], ids=["too much code", "the process ends"])
def test_a_hand_in_that_takes_too_much_cannot_be_read_and_the_next_can(tmp_path: Path, files: int) -> None:
    one = as_folder(tmp_path, {f"{FIRST}.py": "x = 1"} | {f"tools{number}.py": "#" * 90_000 for number in range(files)})
    (tmp_path / "bob.py").write_text(ONE)
    reader = Reader()
    if not files:
        reader.read(tmp_path / "bob.py", "bob", PARTS)
        assert reader._process
        reader._process.kill()

    found = reader.read(one, "ada", PARTS)

    assert set(problems(found).values()) == {f"ada {reading.TOO_MUCH}"}
    assert set(reader.read(tmp_path / "bob.py", "bob", PARTS).modules) == {FIRST}
    reader.close()


@pytest.mark.parametrize(("name", "expected"), [("é", "é"), ("a\x1b[2J", r"a\x1b[2J"), ("\udcff", r"\udcff")])
def test_a_name_is_shown_without_what_cannot_be_printed(name: str, expected: str) -> None:
    assert shown(name) == expected

"""`attn update`: a newer release comes into an older one's folder, and no work is lost."""

import zipfile
from pathlib import Path

import pytest
from command import Run, attn_in

from autograder.course.errors import ExplainedError
from autograder.exam.syllabus import Syllabus, SyllabusPart, SyllabusStep, to_json
from autograder.student.updating import update
from autograder.workspace import Workspace

STUB = "def {}():\n    raise NotImplementedError\n"
WORK = "def first():\n    return 1\n"


def syllabus_part(name: str, stub: str) -> SyllabusPart:
    step = SyllabusStep(
        name, name, 1, "function", f"{name}()", "", 1, "", ("Hint.", "Another."), "", {}, {}, False, (), ()
    )
    return SyllabusPart(name, name, stub, (step,))


def released(folder: Path, *parts: str, id: str = "shop", stub: str = STUB, needs: str = "torch") -> Workspace:
    """Make a folder as a release of some parts is one, as far as `attn update` looks at it."""
    texts = {
        "course.toml": f'id = "{id}"\ntitle = "Shop"\nparts = {list(parts)!r}\n',
        "requirements.lock": needs,
        "autograder/grader.py": f"KNOWS = {parts!r}\n",
        "exams/syllabus.json": to_json(Syllabus(tuple(syllabus_part(one, stub.format(one)) for one in parts))),
    }
    texts |= {f"exercises/{part}.py": stub.format(part) for part in parts}
    texts |= {f"notebooks/{part}.ipynb": "{}" for part in parts}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Workspace(folder)


def zipped(folder: Path, within: str = "") -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, Path(within) / file.relative_to(folder))
    return path


def texts(workspace: Workspace) -> dict[str, str]:
    """Return all files but those that an update has replaced."""
    aside = workspace.memory / "replaced"
    files = (path for path in sorted(workspace.root.rglob("*")) if path.is_file() and aside not in path.parents)
    return {path.relative_to(workspace.root).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    return released(tmp_path / "mine", "first")


@pytest.fixture
def second(tmp_path: Path) -> Workspace:
    return released(tmp_path / "second", "first", "second")


def test_a_release_without_work_becomes_the_newer_one(mine: Workspace, second: Workspace) -> None:
    update(mine, second.root)
    assert texts(mine) == texts(second)


@pytest.mark.parametrize("within", ["", "shop-week-2"], ids=["by itself", "in a folder"])
def test_a_zip_is_unpacked_first(mine: Workspace, second: Workspace, within: str) -> None:
    update(mine, zipped(second.root, within))
    assert texts(mine) == texts(second)


@pytest.mark.parametrize("name", ["exercises/first.py", "notebooks/first.ipynb", "exercises/helpers.py", "notes.txt"])
def test_what_a_student_has_written_stays(mine: Workspace, second: Workspace, name: str) -> None:
    (mine.root / name).write_text(WORK, encoding="utf-8")
    update(mine, second.root)
    assert texts(mine) == texts(second) | {name: WORK}


def test_progress_stays(mine: Workspace, second: Workspace) -> None:
    for workspace, text in ((mine, "mine"), (second, "of a trial")):
        workspace.memory.mkdir()
        (workspace.memory / "progress.json").write_text(text, encoding="utf-8")
    update(mine, second.root)
    assert (mine.memory / "progress.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["notes.md", "workbench/mine.txt", "autograder/grader.py"])
def test_what_a_student_has_written_elsewhere_is_kept_where_a_release_replaces_it(
    mine: Workspace, second: Workspace, name: str
) -> None:
    for of, text in ((mine, WORK), (second, "the course's")):
        (of.root / name).parent.mkdir(exist_ok=True)
        (of.root / name).write_text(text, encoding="utf-8")
    update(mine, second.root)

    assert (mine.root / name).read_text(encoding="utf-8") == "the course's"
    (aside,) = (mine.memory / "replaced").iterdir()
    assert (aside / name).read_text(encoding="utf-8") == WORK


def refused(mine: Workspace, release: Path) -> str:
    before = texts(mine)
    with pytest.raises(ExplainedError) as error:
        update(mine, release)
    assert texts(mine) == before
    return str(error.value)


def test_a_release_of_another_course_is_refused(mine: Workspace, tmp_path: Path) -> None:
    assert "another course" in refused(mine, released(tmp_path / "other", "first", id="zoo").root)


def test_the_whole_course_with_its_solutions_takes_no_release(mine: Workspace, second: Workspace) -> None:
    mine.solutions.mkdir()
    assert "with its solutions" in refused(mine, second.root)


def told(workspace: Workspace, *arguments: str) -> Run:
    return attn_in(workspace, "update", *arguments)


def test_the_verb_says_what_is_there_now(mine: Workspace, second: Workspace) -> None:
    mine.exercise("first").write_text(WORK, encoding="utf-8")
    done = told(mine, str(zipped(second.root)))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "New: second\nKept as you have written them: exercises/first.py\nThe replaced files are in .attn/replaced/"
    )


@pytest.mark.parametrize("name", [".attn/progress.json", ".ATTN/progress.json", ".git", "docs/.Git/config"])
def test_no_release_brings_what_appears_where_students_work(mine: Workspace, second: Workspace, name: str) -> None:
    before = texts(second)
    (second.root / name).parent.mkdir(parents=True, exist_ok=True)
    (second.root / name).write_text("theirs")

    update(mine, zipped(second.root))

    assert texts(mine) == before

"""The rooms of the house import in one direction only."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.course import PACKAGES
from autograder.workspace import Workspace

BUDGETS = {
    "course": 1_753,
    "exam": 1_131,
    "sandbox": 435,
    "submission": 1_153,
    "runner": 1_762,
    "grading": 1_960,
    "diagnosis": 1_757,
    "check": 52,
    "render": 798,
    "site": 1_523,
    "student": 1_989,
    "classroom": 3_327,
    "authoring": 1_379,
    "cli": 1_807,
}
"""Lines of Python of each room, at most, in the order in which rooms may import. A budget goes down with each deletion.

It goes up only in a commit of its own, which takes as many lines from another room.
"""

ROOMS = tuple(BUDGETS)


def imports_of(path: Path) -> Iterator[str]:
    """Yield every module of the project that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def modules_of(course: Workspace, room: str) -> Iterator[Path]:
    """Yield the modules of a room: those in a folder, or one by itself."""
    yield from (course.root / "autograder").glob(f"{room}.py")
    yield from (course.root / "autograder" / room).rglob("*.py")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_stays_within_its_budget_of_lines(course: Workspace, room: str) -> None:
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules_of(course, room))

    assert lines <= BUDGETS[room]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_before_it(course: Workspace, room: str) -> None:
    later = ROOMS[ROOMS.index(room) + 1 :]
    found = {
        (path.name, module)
        for path in modules_of(course, room)
        for module in imports_of(path)
        if module.startswith(tuple(f"autograder.{name}" for name in later))
    }

    assert found == set()


def test_the_classroom_and_authoring_know_nothing_of_each_other(course: Workspace) -> None:
    found = {
        path.name
        for path in (course.root / "autograder" / "authoring").rglob("*.py")
        for module in imports_of(path)
        if module.startswith("autograder.classroom")
    }

    assert found == set()


@pytest.mark.parametrize("room", ["grading", "diagnosis", "render", "student", "classroom", "cli"])
def test_a_room_of_the_judge_does_not_import_torch(course: Workspace, room: str) -> None:
    found = {
        path.name
        for path in (course.root / "autograder" / room).rglob("*.py")
        for module in imports_of(path)
        if module.partition(".")[0] == "torch"
    }

    assert found == set()


def test_the_grader_imports_nothing_of_a_course_by_name(course: Workspace) -> None:
    found = {
        (path.name, module)
        for path in (course.root / "autograder").rglob("*.py")
        for module in imports_of(path)
        if module.partition(".")[0] in {*PACKAGES, "solutions"}
    }

    assert found == set()


def words_of(path: Path) -> Iterator[str]:
    """Yield what a file of the grader may say to users: the strings of a module but its docstrings, all of another file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield re.sub("</?head>", "", text)
        return
    tree = ast.parse(text)
    documented = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    docstrings = {node.value for node in documented}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def files_of_the_grader(course: Workspace) -> Iterator[Path]:
    """Yield its modules and templates."""
    for path in (course.root / "autograder").rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            yield path


def test_the_grader_names_nothing_of_attention(course: Workspace) -> None:
    installed = tomllib.loads((course.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    names = "|".join(("(?i:attention)", r"\bW_(?:query|key|value|out)", *course.course.parts))

    found = {
        (path.name, match[0])
        for path in files_of_the_grader(course)
        for match in re.finditer(names, path.read_text(encoding="utf-8").replace(installed, ""))
    }

    assert found == set()


def test_the_grader_says_nothing_of_heads_and_sentences(course: Workspace) -> None:
    found = {
        (path.name, said)
        for path in files_of_the_grader(course)
        for said in words_of(path)
        if re.search(r"\b(?:heads?|sentences?)\b", said, re.IGNORECASE) and " " in said
    }

    assert found == set()


@pytest.mark.parametrize("secret", ["mistakes", "alternatives"])
def test_a_course_s_secrets_are_imported_by_nothing_of_its_own(course: Workspace, secret: str) -> None:
    found = {
        (path.name, module)
        for folder in PACKAGES
        for path in (course.root / folder).rglob("*.py")
        for module in imports_of(path)
        if module.rpartition(".")[2] == secret
    }

    assert found == set()


def test_the_runner_never_reads_a_key(course: Workspace) -> None:
    found = {
        (path.name, module)
        for path in (course.root / "autograder" / "runner").rglob("*.py")
        for module in imports_of(path)
        if module.rpartition(".")[2] in {"Key", "KeyCase", "KnownWrong", "Exam", "read_exam"}
    }

    assert found == set()


def starts_of_python(path: Path) -> Iterator[list[ast.expr]]:
    """Yield the words of every command in a file that starts this Python."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.List | ast.Tuple)
            and len(node.elts) > 1
            and ast.unparse(node.elts[0]) == "sys.executable"
        ):
            yield node.elts


def test_python_is_started_without_the_current_folder_on_its_path(course: Workspace) -> None:
    """A file there, such as `notebook.py` of a release, would run in place of a library: `-P` and `-I` leave it out."""
    commands = [
        (path.name, words)
        for room in ("autograder", "workbench")
        for path in (course.root / room).rglob("*.py")
        for words in starts_of_python(path)
        if any(ast.unparse(word) in ("'-m'", "'-c'") for word in words)
    ]

    assert len(commands) > 5
    assert {name for name, words in commands if ast.unparse(words[1]) not in ("'-P'", "'-I'")} == set()


def test_the_command_starts_without_torch_and_without_the_workbench() -> None:
    program = (
        "import sys, autograder.cli.main\n"
        "print([name for name in sys.modules if name == 'torch' or name.startswith('workbench')])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"

"""Whoever follows the guide on authoring, block by block and command by command, has a new part that works."""

import json
import subprocess
from pathlib import Path

import pytest
from guide import Block, attn_of, blocks_of, commands_of, copy_with_package, follow, run_in

from autograder.workspace import Workspace

PART = "part9_similarity"
STEPS = ("cosine_scores", "sharpened_weights")
DATA = f"autograder/course/parts/{PART}.py"

MEASURED = """
import dataclasses, json
from pathlib import Path
from autograder.exam.files import read_exam, write_exam
from autograder.exam.syllabus import Syllabus
from autograder.publishing.accuracy import measure
from autograder.sitting.processes import open_sitter
from autograder.workspace import Workspace

course, sitter = Workspace(Path.cwd()), open_sitter()
exam = read_exam(course.practice_exam)
own = Syllabus((exam.syllabus.part("part9_similarity"),))
write_exam(dataclasses.replace(exam, syllabus=own), course.practice_exam)
(accuracy,) = measure(course, sitter, lambda text: None)
sitter.close()
write_exam(exam, course.practice_exam)
print(json.dumps(dataclasses.asdict(accuracy)))
"""
"""What `attn verify --full` does, for the new part alone."""

Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def page(course: Workspace) -> str:
    return (course.root / "docs" / "add_an_exercise.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def blocks(page: str) -> list[Block]:
    return blocks_of(page)


@pytest.fixture(scope="module")
def followed(course: Workspace, blocks: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A copy of the course, with its package, in which every block stands where the guide puts it."""
    workspace = copy_with_package(course.root, tmp_path_factory.mktemp("authoring") / "course")
    for block in blocks:
        follow(block, workspace)
    return workspace


@pytest.fixture(scope="module")
def ran(followed: Workspace, page: str) -> dict[str, Run]:
    """What the commands of the guide did, in order."""
    return {" ".join(command): attn_of(followed, *command) for command in commands_of(page)}


def check_text(workspace: Workspace, folder: Path, text: str) -> dict[str, object]:
    """Hand a module in as a student would; return the marks of its steps by name."""
    (folder / f"{PART}.py").write_text(text, encoding="utf-8")
    found = attn_of(workspace, "check", PART, "--from", str(folder), "--json")
    return {step["step"]: step for step in json.loads(found.stdout)["parts"][0]["steps"]}


# The page


def test_every_block_of_code_says_where_it_goes(page: str, blocks: list[Block]) -> None:
    outside = page
    for block in blocks:
        outside = outside.replace(block.text, "")
    fences = outside.count("\n```") // 2
    assert fences == len(blocks) + 1  # one block holds the commands


def test_the_guide_names_each_file_once(blocks: list[Block]) -> None:
    assert len({block.file for block in blocks}) == len(blocks)


def test_every_message_that_the_guide_explains_is_one_that_the_code_says(course: Workspace, page: str) -> None:
    explained = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `") and "| " in line[3:]]
    messages = [one for one in explained if " " in one]
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("exam", "publishing")
        for path in (course.root / "autograder" / folder).glob("*.py")
    )
    assert len(messages) >= 20
    assert [message for message in messages if message not in code] == []


# Following it


@pytest.mark.slow
def test_every_command_of_the_guide_succeeds(ran: dict[str, Run]) -> None:
    assert {name: found.stderr + found.stdout for name, found in ran.items() if found.returncode} == {}


@pytest.mark.slow
def test_the_site_builds_with_the_new_lecture(followed: Workspace, tmp_path: Path) -> None:
    built = run_in(followed, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site"))
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "lectures" / "similarity" / "index.html").read_text(encoding="utf-8")
    assert "attn check part9_similarity.cosine_scores" in page
    assert "You multiply by the temperature." in page


@pytest.mark.slow
def test_in_the_end_the_course_is_sound(ran: dict[str, Run]) -> None:
    assert "The course is sound." in ran["verify"].stdout


@pytest.mark.slow
def test_the_new_steps_are_listed(ran: dict[str, Run]) -> None:
    listed = ran["list"].stdout
    assert [step for step in STEPS if step not in listed] == []


@pytest.mark.slow
def test_the_solution_passes(ran: dict[str, Run]) -> None:
    assert "5 of 5 points" in ran[f"check {PART} --from solutions"].stdout


@pytest.mark.slow
def test_the_stub_is_not_attempted(ran: dict[str, Run], followed: Workspace, tmp_path: Path) -> None:
    stub = followed.exercise(PART).read_text(encoding="utf-8")
    marks = check_text(followed, tmp_path, stub)
    assert {name: step["verdict"] for name, step in marks.items()} == dict.fromkeys(STEPS, "not_attempted")


@pytest.mark.slow
def test_a_known_mistake_is_named(ran: dict[str, Run], followed: Workspace, tmp_path: Path) -> None:
    solution = (followed.solutions / f"{PART}.py").read_text(encoding="utf-8")
    assert " / lengths.sqrt()" in solution
    marks = check_text(followed, tmp_path, solution.replace(" / lengths.sqrt()", ""))
    assert marks["cosine_scores"]["diagnosis"]["id"] == "dot_products"


@pytest.mark.slow
def test_the_full_verification_of_the_new_part_finds_nothing(ran: dict[str, Run], followed: Workspace) -> None:
    found = run_in(followed, "-c", MEASURED)
    measured = json.loads(found.stdout)
    assert measured["problems"] == []
    assert measured["alternatives"] == measured["accepted"] == 6


@pytest.mark.slow
def test_what_the_guide_writes_is_in_the_form_that_ruff_asks_for(followed: Workspace, blocks: list[Block]) -> None:
    pytest.importorskip("ruff")
    files = [block.file for block in blocks if block.file.endswith(".py")]
    found = [run_in(followed, "-m", "ruff", *command, *files) for command in (("check",), ("format", "--check"))]
    assert [one.stdout for one in found if one.returncode] == []


# What goes wrong on the way


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("sync",), ("sync", "--check"), ("verify",), ("exam", "--seed", "1", "--out", "x")]
)
@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        pytest.param("draw.normal(4, 5)", "draw.norml(4, 5)", "its cases cannot be drawn", id="drawing a case"),
        pytest.param("points=3", 'points="three"', "step cosine_scores: points is 'three'", id="points"),
        pytest.param("points=3", "points=(3", "the module cannot be imported: SyntaxError", id="syntax"),
    ],
)
def test_what_is_wrong_with_the_data_is_refused_by_each_command(
    followed: Workspace, ran: dict[str, Run], command: tuple[str, ...], right: str, wrong: str, told: str
) -> None:
    path = followed.root / DATA
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    try:
        found = attn_of(followed, *command)
    finally:
        path.write_text(text, encoding="utf-8")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith(DATA)
    assert told in found.stderr


@pytest.mark.slow
def test_a_syntax_error_in_the_list_of_parts_is_told_with_its_line(followed: Workspace, ran: dict[str, Run]) -> None:
    path = followed.root / "autograder" / "course" / "parts" / "__init__.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("NAMES = (", "NAMES = (("), encoding="utf-8")
    try:
        found = attn_of(followed, "sync")
    finally:
        path.write_text(text, encoding="utf-8")
    assert found.returncode == 1
    assert found.stderr.startswith("autograder/course/parts/__init__.py, line 7: the module cannot be imported")

"""Whoever follows the guide on authoring, block by block and command by command, has a new part that works."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import Run, attn_in
from guide import Block, attn_of, blocks_of, commands_of, copy_with_package, follow, run_in
from lxml import html

from autograder.workspace import Workspace

PART = "part9_similarity"
STEPS = ("cosine_scores", "sharpened_weights")
COPIED = (
    "course/attention",
    "course.toml",
    "mkdocs.yml",
    "pyproject.toml",
    "solutions/ruff.toml",
    "workbench",
)
"""What of the checkout the guide's files import, or add lines to, or a release holds, or whose names ruff looks for."""


@pytest.fixture(scope="module")
def page(course: Workspace) -> str:
    return (course.root / "docs" / "add_an_exercise.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def blocks(page: str) -> list[Block]:
    return blocks_of(page)


@pytest.fixture(scope="module")
def followed(course: Workspace, blocks: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A course of the new part alone, as the guide's blocks write it, taught in this process."""
    workspace = Workspace(tmp_path_factory.mktemp("authoring"))
    for name in COPIED:
        (workspace.root / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (course.root / name).is_dir() else shutil.copy
        copy(course.root / name, workspace.root / name)
    for block in blocks:
        follow(block, workspace)
    listed = workspace.root / "course.toml"
    text = listed.read_text(encoding="utf-8")
    for part in set(course.course.parts) - {PART}:
        text = text.replace(f'    "{part}",\n', "")
    listed.write_text(text, encoding="utf-8")
    workspace.syllabus.parent.mkdir()
    workspace.syllabus.write_text("{}", encoding="utf-8")  # by it, a checkout is known
    return workspace


@pytest.fixture(scope="module")
def ran(followed: Workspace, page: str) -> dict[str, Run]:
    """What the commands of the guide did, in order."""
    return {" ".join(command): attn_in(followed, *command) for command in commands_of(page)}


@pytest.fixture(scope="module")
def with_package(course: Workspace, blocks: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A copy of the whole course, with its package, in which every block stands where the guide puts it."""
    workspace = copy_with_package(course.root, tmp_path_factory.mktemp("authoring") / "course")
    for block in blocks:
        follow(block, workspace)
    return workspace


@pytest.fixture(scope="module")
def ran_as_processes(with_package: Workspace, page: str) -> "dict[str, subprocess.CompletedProcess[str]]":
    """What the commands of the guide did in the whole course, in order."""
    return {" ".join(command): attn_of(with_package, *command) for command in commands_of(page)}


def check_text(workspace: Workspace, folder: Path, text: str) -> dict[str, dict[str, object]]:
    """Hand a module in as a student would; return the marks of its steps by name."""
    (folder / f"{PART}.py").write_text(text, encoding="utf-8")
    found = attn_in(workspace, "check", PART, "--from", str(folder), "--json")
    return {step["step"]: step for step in json.loads(found.stdout)["parts"][0]["steps"]}


# The page


def test_every_block_of_code_says_where_it_goes(page: str, blocks: list[Block]) -> None:
    outside = page
    for block in blocks:
        outside = outside.replace(block.text, "")
    fences = outside.count("\n```") // 2
    assert fences == len(blocks) + 1  # one block holds the commands


def test_every_message_that_the_guide_explains_is_one_that_the_code_says(course: Workspace, page: str) -> None:
    explained = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `") and "| " in line[3:]]
    messages = [one for one in explained if " " in one]
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("exam", "authoring")
        for path in (course.root / "autograder" / folder).glob("*.py")
    )
    assert len(messages) >= 20
    said = [part.strip(" :,;") for message in messages for part in message.split("…")]
    assert [part for part in said if part not in code] == []


# Following it


def test_every_command_of_the_guide_succeeds(ran: dict[str, Run]) -> None:
    assert {name: found.stderr + found.stdout for name, found in ran.items() if found.returncode} == {}


def test_in_the_end_the_course_is_sound(ran: dict[str, Run]) -> None:
    assert "The course is sound." in ran["verify"].stdout


@pytest.mark.usefixtures("ran")
def test_a_known_mistake_is_named(followed: Workspace, tmp_path: Path) -> None:
    solution = (followed.solutions / f"{PART}.py").read_text(encoding="utf-8")
    assert " / lengths.sqrt()" in solution
    marks = check_text(followed, tmp_path, solution.replace(" / lengths.sqrt()", ""))
    assert marks["cosine_scores"]["diagnosis"]["id"] == "dot_products"


@pytest.mark.world
@pytest.mark.usefixtures("ran")
def test_the_full_verification_finds_nothing(followed: Workspace) -> None:
    found = attn_in(followed, "verify", "--full")
    mutants, caught, equivalent, alternatives, accepted, mistakes, named = map(
        int, found.stdout.splitlines()[-2].removeprefix("all parts").split()
    )
    assert found.returncode == 0, found.stdout
    assert equivalent == 2
    assert mutants == caught + equivalent > 40
    assert alternatives == accepted == 6
    assert mistakes == named == 7


@pytest.mark.slow
def test_what_the_guide_writes_is_in_the_form_that_ruff_asks_for(followed: Workspace, blocks: list[Block]) -> None:
    pytest.importorskip("ruff")
    files = [block.file for block in blocks if block.file.endswith(".py")]
    found = [
        subprocess.run([sys.executable, "-m", "ruff", *command, *files], cwd=followed.root, capture_output=True)
        for command in (("check",), ("format", "--check"))
    ]
    assert [one.stdout for one in found if one.returncode] == []


@pytest.mark.world
def test_in_the_whole_course_the_guide_leads_to_a_sound_one(
    ran_as_processes: "dict[str, subprocess.CompletedProcess[str]]",
) -> None:
    assert {name: found.stderr + found.stdout for name, found in ran_as_processes.items() if found.returncode} == {}
    assert "The course is sound." in ran_as_processes["verify"].stdout
    assert [step for step in STEPS if step not in ran_as_processes["list"].stdout] == []


@pytest.mark.world
@pytest.mark.usefixtures("ran_as_processes")
def test_the_site_builds_with_the_new_lecture(with_package: Workspace, tmp_path: Path) -> None:
    built = run_in(with_package, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site"))
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "lectures" / "similarity" / "index.html").read_text(encoding="utf-8")
    said = html.fromstring(page).text_content()
    assert "attn check part9_similarity.cosine_scores" in said
    assert "You multiply by the temperature." in said

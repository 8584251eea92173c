"""Whoever follows the guide on courses, block by block and command by command, has a course that is sound."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import Run, attn_in

from autograder.site.font import write_font
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

NAME = "shop"

BLOCK = re.compile(
    r"^`(?P<file>[^`\n]+)`, (?P<how>a new file|at the end|below the line `(?P<line>[^\n]+)`):\n\n"
    r"(?P<ticks>`{3,})\w+\n(?P<text>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of a guide. how: where in the file it goes; line: below which one, if that is the place."""

    file: str
    how: str
    line: str | None
    text: str


def blocks_of(page: str) -> list[Block]:
    """Return the blocks that name a file, in order."""
    return [Block(found["file"], found["how"], found["line"], found["text"]) for found in BLOCK.finditer(page)]


def commands_of(page: str) -> list[list[str]]:
    """Return the `attn` commands of a guide, in order."""
    lines = (line.split() for text in COMMANDS.findall(page) for line in text.splitlines())
    return [words[1:] for words in lines if words[0] == "attn"]


def follow(block: Block, workspace: Workspace) -> None:
    """Write a block where it says."""
    path = workspace.root / block.file
    if block.how == "a new file":
        assert not path.exists(), f"{block.file} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    stripped = [line.strip() for line in lines]
    assert not block.line or stripped.count(block.line) == 1, f"{block.file} should hold the line {block.line} once"
    place = stripped.index(block.line) + 1 if block.line else len(lines)
    path.write_text("".join([*lines[:place], block.text, *lines[place:]]), encoding="utf-8")


@pytest.fixture(scope="module")
def page(course: Workspace) -> str:
    return (course.root / "docs" / "write_a_course.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The course as `attn build --new` makes it, in a folder that no course is around."""
    folder = tmp_path_factory.mktemp("courses")
    made = attn_in(Workspace(folder), "build", "--new", NAME)
    assert made.returncode == 0, made.stderr
    return Workspace(folder / NAME)


@pytest.fixture(scope="module")
def ran(begun: Workspace, page: str) -> dict[str, Run]:
    """What the guide's commands did, in order, each after the blocks above it."""
    before, after = page.split("## 2. ")
    (_, *first), second = commands_of(before), commands_of(after)
    done = {" ".join(command): attn_in(begun, *command) for command in first}
    for block in blocks_of(after):
        (begun.root / block.file).parent.mkdir(parents=True, exist_ok=True)
        follow(block, begun)
    return done | {" ".join(command): attn_in(begun, *command) for command in second}


def test_every_command_of_the_guide_succeeds(ran: dict[str, Run]) -> None:
    assert {name: found.stdout + found.stderr for name, found in ran.items() if found.returncode} == {}


def test_the_course_that_is_begun_with_is_sound_and_the_grader_is_never_wrong(ran: dict[str, Run]) -> None:
    found = ran["verify --full"].stdout
    assert found.endswith("The course is sound.\n")
    assert re.search(r"^✓ +[1-9]\d*  mutants that fail", found, re.MULTILINE)


def test_in_the_end_the_course_is_sound(ran: dict[str, Run]) -> None:
    assert ran["verify"].stdout.endswith("The course is sound.\n")


@pytest.mark.usefixtures("ran")
def test_a_known_mistake_in_the_class_is_named(begun: Workspace) -> None:
    solution = (begun.solutions / "part2_till.py").read_text(encoding="utf-8")
    begun.exercise("part2_till").write_text(solution.replace("torch.ones", "torch.zeros"), encoding="utf-8")
    assert "Your prices are 0 at first; the contract says 1." in attn_in(begun, "check", "Till").stdout


@pytest.mark.world
@pytest.mark.usefixtures("ran")
def test_its_site_is_built_with_the_look_of_what_pages_draw(begun: Workspace) -> None:
    write_font(begun.root / "docs")
    built = subprocess.run([sys.executable, "-m", "mkdocs", "build"], cwd=begun.root, capture_output=True, text=True)

    assert built.returncode == 0, built.stderr
    page = (begun.root / "site" / "till" / "index.html").read_text(encoding="utf-8")
    styles = re.findall(r'href="\.\./((?:stylesheets|fonts)/[^"]+)"', page)
    assert len(styles) == 2
    assert [name for name in styles if not (begun.root / "site" / name).is_file()] == []
    cards = (begun.root / "site" / "reference" / "steps" / "index.html").read_text(encoding="utf-8")
    assert 'id="part2-till"' in cards


def test_every_message_that_the_table_for_authors_explains_is_one_of_the_code(course: Workspace) -> None:
    table = (
        (course.root / "docs" / "reference" / "authoring.md").read_text(encoding="utf-8").partition("{#messages}")[2]
    )
    messages = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("exam", "authoring")
        for path in (course.root / "autograder" / folder).glob("*.py")
    )

    assert messages
    assert [part for one in messages for part in one.split("…") if part.strip(" :,;") not in code] == []


# attn build --new


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    found = attn_in(Workspace(tmp_path), "build", "--new", "full")
    assert found.returncode == 2
    assert "is not empty" in found.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]

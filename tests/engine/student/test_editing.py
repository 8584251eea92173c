"""Putting stubs back: with a backup, and with nothing else touched; and finding where a step is written."""

import codecs
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from screen_text import one_line

from autograder.course.errors import ExplainedError
from autograder.exam.model import Exam
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart
from autograder.student.editing import locate, reset, undo
from autograder.workspace import Workspace

Attn = Callable[..., CompletedProcess[str]]

FIRST = "part1_simplified"

WRITTEN = """import functools

import torch

SCALE = 1.0  # α, of my own


def dot_product(a, b):
    return (a * b).sum()


@functools.cache
def helper(size):
    return torch.ones(size)  # not to be lost


@functools.wraps(helper)
@torch.no_grad()
def attention_scores(query, inputs):
    return inputs @ query


class Extra:
    pass
"""


@pytest.fixture
def part(practice: Exam) -> SyllabusPart:
    return practice.syllabus.part(FIRST)


@pytest.fixture
def path(copy: Workspace) -> Path:
    """The first part, written in."""
    path = copy.exercise(FIRST)
    path.write_text(WRITTEN, encoding="utf-8")
    return path


def backups(workspace: Workspace) -> list[str]:
    folder = workspace.memory / "backups"
    return [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())] if folder.exists() else []


# Parts


def test_backups_of_the_same_second_are_all_kept(copy: Workspace, path: Path, part: SyllabusPart) -> None:
    texts = [f"# version {number}\n" for number in range(5)]
    for text in texts:
        path.write_text(text)
        reset(copy, part)
    assert sorted(backups(copy)) == texts


# Steps


def test_a_step_loses_its_own_decorators_and_no_others(copy: Workspace, path: Path, part: SyllabusPart) -> None:
    reset(copy, part, part.step("attention_scores"))
    begin, end = WRITTEN.index("@functools.wraps"), WRITTEN.index("\n\nclass Extra")
    stub = stub_of_step(part, part.step("attention_scores"))
    assert path.read_text(encoding="utf-8") == WRITTEN[:begin] + stub + WRITTEN[end:]


def test_a_step_that_is_missing_is_appended(copy: Workspace, path: Path, part: SyllabusPart) -> None:
    reset(copy, part, part.step("softmax"))
    assert path.read_text(encoding="utf-8") == f"{WRITTEN}\n\n{stub_of_step(part, part.step('softmax'))}"


def test_of_a_step_that_is_written_twice_the_one_that_counts_is_put_back(
    copy: Workspace, path: Path, part: SyllabusPart
) -> None:
    path.write_text(f"{WRITTEN}\n\ndef dot_product(a, b):\n    return 2\n", encoding="utf-8")
    reset(copy, part, part.step("dot_product"))
    assert path.read_text(encoding="utf-8") == f"{WRITTEN}\n\n{stub_of_step(part, part.step('dot_product'))}"


@pytest.mark.parametrize("content", [b"def broken(:\n", b"caf\xe9\n", b"x = 1\0\n"], ids=["syntax", "encoding", "null"])
def test_a_step_of_a_file_that_cannot_be_parsed_is_refused_and_nothing_changes(
    copy: Workspace, path: Path, part: SyllabusPart, content: bytes
) -> None:
    path.write_bytes(content)
    with pytest.raises(ExplainedError, match=f"{FIRST}.py cannot be parsed.*`attn reset {FIRST}`"):
        reset(copy, part, part.step("softmax"))
    assert (path.read_bytes(), backups(copy)) == (content, [])


# The command


@pytest.mark.parametrize("name", ["../outside", "../../outside"])
def test_a_part_whose_name_is_a_path_writes_nothing_outside(copy: Workspace, attn: Attn, name: str) -> None:
    text = copy.syllabus.read_text(encoding="utf-8").replace(FIRST, name)
    copy.syllabus.write_text(text, encoding="utf-8")

    found = attn("reset", "1")

    assert (found.returncode, "syllabus.json cannot be read" in one_line(found.stderr)) == (2, True)
    assert list(copy.root.parent.rglob("outside*")) == []


def test_a_part_is_reset_and_the_message_names_the_backup(
    copy: Workspace, path: Path, attn: Attn, part: SyllabusPart
) -> None:
    found = attn("reset", "1")
    assert path.read_text(encoding="utf-8") == part.stub
    backup = copy.root / re.findall(r"What was there: (.+)", found.stdout)[0]
    assert backup.read_text(encoding="utf-8") == WRITTEN
    assert f"To have it back: attn reset {FIRST} --undo" in found.stdout


WINDOWS = codecs.BOM_UTF8 + WRITTEN.replace("\n", "\r\n").encode()
"""As Windows' editor saves it."""


# Undo


def test_undo_puts_the_last_backup_back_byte_by_byte(copy: Workspace, path: Path, part: SyllabusPart) -> None:
    path.write_bytes(WINDOWS)
    reset(copy, part)
    undo(copy, part)
    assert path.read_bytes() == WINDOWS


def test_undo_keeps_what_it_replaces_so_that_it_can_be_undone(copy: Workspace, path: Path, part: SyllabusPart) -> None:
    reset(copy, part)
    undo(copy, part)
    assert path.read_text(encoding="utf-8") == WRITTEN
    undo(copy, part)
    assert path.read_text(encoding="utf-8") == part.stub
    assert backups(copy) == [WRITTEN, part.stub, WRITTEN]


def test_undo_of_a_step_leaves_what_was_written_since_in_the_others(
    copy: Workspace, path: Path, part: SyllabusPart
) -> None:
    later = WRITTEN.replace("return inputs @ query", "return query @ inputs.T")
    reset(copy, part, part.step("dot_product"))
    path.write_text(path.read_text(encoding="utf-8").replace("return inputs @ query", "return query @ inputs.T"))

    undo(copy, part, part.step("dot_product"))

    assert path.read_text(encoding="utf-8") == later


# Where a step is written


def line_of(text: str, fragment: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if fragment in line)


def test_an_open_step_is_found_at_its_todo(copy: Workspace, part: SyllabusPart) -> None:
    for step in part.steps:
        assert locate(copy, step).line == line_of(part.stub, f"# TODO {step.number}:")

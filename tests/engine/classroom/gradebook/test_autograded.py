"""Students' notebooks in nbgrader's `autograded`: restored from the release, never run, with the marks below the tests."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from graded import PART, marks_of
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output, new_raw_cell
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader_course import NbgraderCourse, answered, cell_of, lay_course, source_of

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.gradebook import literally
from autograder.classroom.nbgrader_notebooks import restore, write_autograded
from autograder.exam.syllabus import Syllabus

Restore = Callable[..., NotebookNode]


@pytest.fixture
def release(syllabus: Syllabus) -> NotebookNode:
    return source_of(syllabus.part(PART))


@pytest.fixture
def restored(release: NotebookNode) -> Restore:
    """Restore what was handed in."""

    def run(handed_in: NotebookNode) -> NotebookNode:
        made = restore(handed_in, release)
        nbformat.validate(made)
        MetadataValidator().validate_nb(made)
        CheckCellMetadata().preprocess(copy.deepcopy(made), {})
        return made

    return run


@pytest.fixture
def directory(tmp_path: Path, syllabus: Syllabus) -> NbgraderCourse:
    return lay_course(tmp_path, syllabus.part(PART))


def write(directory: NbgraderCourse, syllabus: Syllabus, **marks: Any) -> dict[str, list[str]]:
    entries = read_class_folder(directory.folder / "submitted").entries
    return write_autograded(
        directory.folder, entries, [marks_of(syllabus, one.student, **marks) for one in entries], syllabus
    )


def test_the_answers_stay(release: NotebookNode, restored: Restore) -> None:
    made = restored(answered(release, softmax="def softmax(x): return x"))

    assert cell_of(made, "softmax").source == "def softmax(x): return x"


def test_what_is_locked_comes_back(release: NotebookNode, restored: Restore) -> None:
    made = restored(answered(release, test_softmax="print('no test')", about="# changed"))

    assert cell_of(made, "test_softmax").source == "assert True"
    assert cell_of(made, "about").source == "Do not change this."


def test_points_and_flags_come_back(release: NotebookNode, restored: Restore) -> None:
    handed_in = copy.deepcopy(release)
    cell_of(handed_in, "test_softmax").metadata.nbgrader.update(points=1000.0, locked=False, solution=True)

    assert cell_of(restored(handed_in), "test_softmax").metadata == cell_of(release, "test_softmax").metadata


def test_all_other_outputs_are_dropped(release: NotebookNode, restored: Restore) -> None:
    handed_in = copy.deepcopy(release)
    for cell in handed_in.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", {"text/html": "<script>alert(1)</script>"})]

    made = restored(handed_in)

    assert "<script>" not in nbformat.writes(made)


def test_a_students_own_text_stays_text(release: NotebookNode, restored: Restore) -> None:
    handed_in = answered(release, essay="Because <script>alert(1)</script>")
    handed_in.cells += [
        new_markdown_cell("[x](javascript:alert(1))", metadata={"tags": ['"><script>']}, attachments={"a": {}}),
        new_raw_cell("<script>alert(1)</script>", metadata={"raw_mimetype": "text/html"}),
    ]
    handed_in.metadata["title"] = "<script>"

    made = restored(handed_in)
    text, raw = made.cells[-2:]

    assert cell_of(made, "essay").source == literally("Because <script>alert(1)</script>")
    assert (text.source, text.metadata, "attachments" in text) == (literally("[x](javascript:alert(1))"), {}, False)
    assert raw.cell_type == "code"
    assert made.metadata == release.metadata


def test_nothing_is_run(directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode) -> None:
    ran = directory.folder / "ran"
    directory.hand_in("ada", answered(release, softmax=f"open({str(ran)!r}, 'w')"))

    write(directory, syllabus)

    assert "open(" in cell_of(directory.autograded("ada"), "softmax").source
    assert not ran.exists()


def test_the_time_of_the_submission_is_copied(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode
) -> None:
    directory.hand_in("ada", release, at="2026-11-20 13:00:00 UTC")

    write(directory, syllabus, submitted_at="2026-11-20 13:00:00 UTC")

    copied = directory.folder / "autograded" / "ada" / PART / "timestamp.txt"
    assert copied.read_text() == "2026-11-20 13:00:00 UTC"


def test_the_secret_by_which_nbgrader_names_feedback_is_copied_and_no_link_followed(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode, tmp_path: Path
) -> None:
    secret = directory.hand_in("ada", release).with_name("submission_secret.txt")
    copied = directory.folder / "autograded" / "ada" / PART / secret.name

    (tmp_path / "key").write_text("of the exam")
    secret.symlink_to(tmp_path / "key")
    write(directory, syllabus)
    assert not copied.exists()

    secret.unlink()
    secret.write_text("0123456789abcdef")
    write(directory, syllabus)
    assert copied.read_text() == "0123456789abcdef"


def test_a_module_is_left_out(directory: NbgraderCourse, syllabus: Syllabus) -> None:
    for student in ("ada", "bob"):
        (directory.folder / "submitted" / student).mkdir(parents=True)
        (directory.folder / "submitted" / student / f"{PART}.py").write_text("x = 1\n")

    left_out = write(directory, syllabus)

    assert left_out == {PART: ["ada", "bob"]}
    assert not (directory.folder / "autograded").exists()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"cells": 3}',
        '{"cells": [{"cell_type": "code", "source": 5, "metadata": 3}, 7], "nbformat": 4}',
        '{"cells": [], "nbformat": "<script>"}',
        '{"worksheets": [{"cells": [{"cell_type": "code", "input": 5}]}], "nbformat": 3, "nbformat_minor": 0}',
    ],
)
def test_what_is_hardly_a_notebook_does_not_stop_the_others(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode, text: str
) -> None:
    directory.hand_in("eve", release).write_text(text)
    directory.hand_in("zoe", release)

    write(directory, syllabus)

    assert cell_of(directory.autograded("zoe"), "test_softmax").source == cell_of(release, "test_softmax").source

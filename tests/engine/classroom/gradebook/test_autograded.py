"""Students' notebooks in nbgrader's `autograded`: restored from the release, never run, with the marks below the tests."""

import copy
import json
import os
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from graded import PART, SAYS, marks_of
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output, new_raw_cell
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader_course import NbgraderCourse, answered, cell_of, lay_course, source_of

from autograder.classroom.class_folder import read_class_folder
from autograder.classroom.gradebook.database import CannotKeep
from autograder.classroom.gradebook.entries import literally
from autograder.classroom.nbgrader_notebooks import restore, write_autograded
from autograder.exam.syllabus import Syllabus

Restore = Callable[..., NotebookNode]


@pytest.fixture
def release(syllabus: Syllabus) -> NotebookNode:
    return source_of(syllabus.part(PART))


@pytest.fixture
def restored(release: NotebookNode, syllabus: Syllabus) -> Restore:
    """Restore what was handed in, under marks in which softmax is wrong unless said otherwise."""

    def run(handed_in: NotebookNode, **marks: Any) -> NotebookNode:
        (part,) = marks_of(syllabus, "ada", **marks).parts
        made = restore(handed_in, release, part, syllabus.part(PART))
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


def test_a_missing_cell_comes_back_to_its_place(release: NotebookNode, restored: Restore) -> None:
    handed_in = copy.deepcopy(release)
    handed_in.cells.remove(cell_of(handed_in, "test_softmax"))

    assert [cell.source for cell in restored(handed_in).cells] == [cell.source for cell in release.cells]


def test_of_a_cell_that_is_there_twice_the_last_counts(release: NotebookNode, restored: Restore) -> None:
    handed_in = answered(release, softmax="first = 1")
    handed_in.cells.append(cell_of(answered(release, softmax="second = 2"), "softmax"))

    made = restored(handed_in)

    known = [cell for cell in made.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "softmax"]
    assert [cell.source for cell in known] == ["second = 2"]
    assert made.cells[made.cells.index(known[0]) + 1].source == "first = 1"


def test_a_cell_of_an_unknown_name_loses_what_nbgrader_would_read(release: NotebookNode, restored: Restore) -> None:
    handed_in = copy.deepcopy(release)
    cell_of(handed_in, "softmax").metadata.nbgrader.grade_id = "mine"

    made = restored(handed_in)

    assert not any(cell.metadata.get("nbgrader", {}).get("grade_id") == "mine" for cell in made.cells)
    assert cell_of(made, "softmax").source == cell_of(release, "softmax").source


def test_the_marks_stand_below_the_test(release: NotebookNode, restored: Restore) -> None:
    made = restored(release)

    texts = [cell_of(made, step).outputs[0].text for step in ("test_softmax", "test_dot_product")]
    assert texts == [f"{SAYS}\n", "passed\n"]


def test_the_error_of_a_part_stands_below_each_test(release: NotebookNode, restored: Restore) -> None:
    made = restored(release, error="SyntaxError in line 3")

    texts = {cell_of(made, step).outputs[0].text for step in ("test_softmax", "test_dot_product")}
    assert texts == {"SyntaxError in line 3\n"}


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


def test_text_that_was_released_stays_as_it_is(release: NotebookNode, restored: Restore) -> None:
    assert restored(release).cells[0].source == "# Read <b>this</b>"


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


def test_a_notebook_that_is_there_is_replaced_and_no_draft_is_left(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode
) -> None:
    directory.hand_in("ada", release)
    write(directory, syllabus)
    directory.hand_in("ada", answered(release, softmax="new = 1"))

    write(directory, syllabus)

    assert cell_of(directory.autograded("ada"), "softmax").source == "new = 1"
    assert os.listdir(directory.folder / "autograded" / "ada" / PART) == [f"{PART}.ipynb"]


def test_of_a_notebook_that_is_not_quite_valid_nothing_is_printed(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode, caplog: pytest.LogCaptureFixture
) -> None:
    handed_in = answered(release, softmax="new = 1")
    del handed_in.cells[0]["id"]
    handed_in.cells[1]["outputs"] = "\ud800"
    path = directory.hand_in("ada", release)
    path.write_text(json.dumps(handed_in))

    with warnings.catch_warnings(action="error"):
        write(directory, syllabus)

    assert not caplog.records
    assert cell_of(directory.autograded("ada"), "softmax").source == "new = 1"


def test_a_module_is_left_out(directory: NbgraderCourse, syllabus: Syllabus) -> None:
    for student in ("ada", "bob"):
        (directory.folder / "submitted" / student).mkdir(parents=True)
        (directory.folder / "submitted" / student / f"{PART}.py").write_text("x = 1\n")

    left_out = write(directory, syllabus)

    assert left_out == {f"{PART} was not submitted as a readable notebook": ["ada", "bob"]}
    assert not (directory.folder / "autograded").exists()


def test_without_a_release_a_part_is_left_out(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode
) -> None:
    directory.hand_in("ada", release)

    left_out = write(directory, syllabus, parts=["part2_trainable"])

    assert left_out == {"there is no release/part2_trainable/part2_trainable.ipynb": ["ada"]}


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

    assert cell_of(directory.autograded("zoe"), "test_softmax").outputs


def test_a_folder_that_cannot_be_written_is_told(
    directory: NbgraderCourse, syllabus: Syllabus, release: NotebookNode
) -> None:
    directory.hand_in("ada", release)
    (directory.folder / "autograded").write_text("")

    with pytest.raises(CannotKeep, match="could not be written: Not a directory"):
        write(directory, syllabus)


def test_an_answer_that_was_emptied_is_empty(release: NotebookNode, restored: Restore) -> None:
    assert cell_of(restored(answered(release, softmax="")), "softmax").source == ""


def test_code_that_the_student_has_added_stays(release: NotebookNode, restored: Restore) -> None:
    handed_in = copy.deepcopy(release)
    handed_in.cells.insert(2, new_code_cell("helper = 1", metadata={"nbgrader": 3}))

    assert restored(handed_in).cells[2].source == "helper = 1"


def test_what_a_student_wrote_over_a_locked_cell_is_shown_below_it(release: NotebookNode, restored: Restore) -> None:
    made = restored(answered(release, test_softmax="def softmax(x): return x"))

    below = made.cells[made.cells.index(cell_of(made, "test_softmax")) + 1]
    assert (below.cell_type, below.source) == ("code", "def softmax(x): return x")
    assert "nbgrader" not in below.metadata


def test_nothing_is_shown_below_a_locked_cell_that_is_as_it_was(release: NotebookNode, restored: Restore) -> None:
    assert len(restored(release).cells) == len(release.cells)


def test_half_of_a_surrogate_pair_stops_nobody(directory: NbgraderCourse, syllabus: Syllabus) -> None:
    path = directory.hand_in("ada", directory.release)
    path.write_text(path.read_text().replace("return 1", "\\ud800"))

    assert write(directory, syllabus) == {}
    assert "?" in cell_of(directory.autograded("ada"), "softmax").source


def test_a_notebook_in_a_zip_is_restored(directory: NbgraderCourse, syllabus: Syllabus) -> None:
    path = directory.hand_in("ada", answered(directory.release, softmax="def softmax(x): return x"))
    with zipfile.ZipFile(path.with_name("homework.zip"), "w") as archive:
        archive.write(path, path.name)
    path.unlink()

    assert write(directory, syllabus) == {}
    assert cell_of(directory.autograded("ada"), "softmax").source == "def softmax(x): return x"


def test_a_notebook_of_earlier_marks_goes_where_there_is_no_notebook_any_more(
    directory: NbgraderCourse, syllabus: Syllabus
) -> None:
    path = directory.hand_in("ada", directory.release)
    write(directory, syllabus)
    path.rename(path.with_suffix(".old"))
    path.with_suffix(".py").write_text("x = 1")

    write(directory, syllabus)

    assert not (directory.folder / "autograded" / "ada" / PART / f"{PART}.ipynb").exists()


@pytest.mark.parametrize(("text", "there"), [("yesterday", False), ("2026-11-20 12:00:00 UTC", True)])
def test_a_timestamp_that_names_no_time_is_kept_from_nbgrader(
    directory: NbgraderCourse, syllabus: Syllabus, text: str, there: bool
) -> None:
    directory.hand_in("ada", directory.release, at=text)
    write(directory, syllabus, submitted_at=text)

    assert (directory.folder / "autograded" / "ada" / PART / "timestamp.txt").exists() is there


def test_a_long_diagnosis_is_wrapped_below_its_test_and_loses_no_word(release: NotebookNode, restored: Restore) -> None:
    says = "  softmax sums over the queries, " + "so that each key's column adds up to one, " * 5 + "x" * 200

    told = cell_of(restored(release, says=says), "test_softmax").outputs[0].text

    assert max(len(line) for line in told.splitlines() if "xxx" not in line) <= 96
    assert told.split()[: len(says.split())] == says.split()

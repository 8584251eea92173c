"""What a student hands in, as a submission: which files are the parts, what is told of the others, and why one cannot be read."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.exam.model import Exam
from autograder.marking.mark import digest, mark
from autograder.sitting.host import sit
from autograder.sitting.processes import Sitter
from autograder.sitting.reading import LARGEST_TEXT, read_submission
from autograder.sitting.submission import LARGEST_FILE, Submission, shown

HandIn = Callable[[dict[str, str]], Submission]

FIRST, SECOND = PARTS = ("part1_simplified", "part2_trainable")

GIVEN = {"nbgrader": {"solution": False, "grade": False, "locked": True, "grade_id": "given", "schema_version": 3}}


def notebook(text: str, metadata: dict[str, object] | None = None) -> str:
    cell = nbformat.v4.new_code_cell(text, metadata=metadata or {})
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))


RELEASED = notebook("cell = 1", GIVEN)
PLAIN = notebook("cell = 1")


def as_folder(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = tmp_path / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "ada"


def as_zip(tmp_path: Path, files: dict[str, str]) -> Path:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    (tmp_path / "ada.zip").write_bytes(content.getvalue())
    return tmp_path / "ada.zip"


@pytest.fixture(params=[as_folder, as_zip], ids=["folder", "zip"])
def hand_in(request: pytest.FixtureRequest, tmp_path: Path) -> HandIn:
    """Hand in files both as a folder and as a zip, and read them; places are shown as if in `ada`."""

    def run(files: dict[str, str]) -> Submission:
        return read_submission(request.param(tmp_path, files), "ada", PARTS)

    return run


def texts(submission: Submission) -> dict[str, list[str]]:
    return {name: [block.text for block in source.blocks] for name, source in submission.modules.items()}


def problems(submission: Submission) -> dict[str, str]:
    return {name: failure.message.replace("ada.zip/", "ada/") for name, failure in submission.problems.items()}


def notes(submission: Submission) -> list[str]:
    return [note.replace("ada.zip/", "ada/") for note in submission.notes]


# Which files are the parts


@pytest.mark.parametrize("folder", ["", "homework/", "a/b/c/d/", "my homework/"])
def test_a_part_is_found_however_deep(hand_in: HandIn, folder: str) -> None:
    assert texts(hand_in({f"{folder}{FIRST}.py": "x = 1"})) == {FIRST: ["x = 1"]}


def test_a_part_that_was_not_handed_in_is_neither_module_nor_problem(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": "x = 1"})
    assert SECOND not in {**submission.modules, **submission.problems}


def test_the_shallowest_file_is_the_part(hand_in: HandIn) -> None:
    assert texts(hand_in({f"backup/{FIRST}.py": "x = 1", f"{FIRST}.py": "x = 2"})) == {FIRST: ["x = 2"]}


def test_two_files_of_a_part_at_one_depth_are_a_problem_of_it(hand_in: HandIn) -> None:
    submission = hand_in({f"a/{FIRST}.py": "x = 1", f"b/{FIRST}.py": "x = 2", f"a/{SECOND}.py": "x = 3"})

    assert problems(submission) == {
        FIRST: f"ada/a/{FIRST}.py and ada/b/{FIRST}.py: which one counts? Leave one.",
    }


def test_parts_may_lie_in_different_folders(hand_in: HandIn) -> None:
    assert set(hand_in({f"a/{FIRST}.py": "x = 1", f"b/c/{SECOND}.py": "x = 2"}).modules) == set(PARTS)


def test_a_notebook_is_read_by_its_cells(hand_in: HandIn) -> None:
    assert hand_in({f"ps1/{FIRST}.ipynb": PLAIN}).modules[FIRST].blocks[0].path.endswith(f"{FIRST}.ipynb, cell 1")


# A module and a notebook of the same part


def test_a_released_notebook_is_taken_before_the_module(hand_in: HandIn) -> None:
    assert texts(hand_in({f"{FIRST}.ipynb": RELEASED, f"{FIRST}.py": "x = 1"})) == {FIRST: ["cell = 1"]}


def test_a_module_is_taken_before_a_notebook_of_the_student_s_own(hand_in: HandIn) -> None:
    assert texts(hand_in({f"{FIRST}.ipynb": PLAIN, f"{FIRST}.py": "x = 1"})) == {FIRST: ["x = 1"]}


def test_a_module_is_taken_before_a_broken_notebook(hand_in: HandIn) -> None:
    assert texts(hand_in({f"{FIRST}.ipynb": "{", f"{FIRST}.py": "x = 1"})) == {FIRST: ["x = 1"]}


def test_a_note_says_which_of_the_two_was_marked(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.ipynb": RELEASED, f"{FIRST}.py": "x = 1"})
    assert notes(submission) == [f"ada/{FIRST}.ipynb was marked, not ada/{FIRST}.py, which is there too."]


def test_a_broken_notebook_is_a_problem_of_its_part(hand_in: HandIn) -> None:
    assert "is a broken notebook" in problems(hand_in({f"{FIRST}.ipynb": "{", f"{SECOND}.py": ""}))[FIRST]


# Modules beside the parts


def test_a_module_beside_a_part_is_read(hand_in: HandIn) -> None:
    assert texts(hand_in({f"a/{FIRST}.py": "x = 1", "a/tools.py": "y = 2"}))["tools"] == ["y = 2"]


@pytest.mark.parametrize("name", ["elsewhere/tools.py", "my tools.py", "tools.txt", f"b/{FIRST}.py"])
def test_what_no_part_could_import_is_not_read(hand_in: HandIn, name: str) -> None:
    assert set(hand_in({f"{FIRST}.py": "x = 1", name: "y = 2"}).modules) == {FIRST}


def test_of_two_different_modules_of_a_name_the_first_is_read_and_a_note_says_so(hand_in: HandIn) -> None:
    files = {f"a/{FIRST}.py": "", f"b/{SECOND}.py": "", "a/tools.py": "x = 1", "b/tools.py": "x = 2"}
    assert notes(hand_in(files)) == ["`import tools` gives ada/a/tools.py, not ada/b/tools.py, which differs."]


def test_two_equal_modules_of_a_name_are_no_matter(hand_in: HandIn) -> None:
    files = {f"a/{FIRST}.py": "", f"b/{SECOND}.py": "", "a/tools.py": "x = 1", "b/tools.py": "x = 1"}
    assert notes(hand_in(files)) == []


def test_a_module_that_cannot_be_read_is_noted(hand_in: HandIn) -> None:
    files = {f"{FIRST}.py": "", "tools.py": "#" * (LARGEST_FILE + 1)}
    assert notes(hand_in(files)) == ["ada/tools.py has more than 100,000 bytes, the most that is read."]


def test_all_text_of_a_submission_is_bounded(hand_in: HandIn) -> None:
    files = {f"{FIRST}.py": ""} | {f"tools{number}.py": "#" * LARGEST_FILE for number in range(6)}

    submission = hand_in(files)

    assert f"more than {LARGEST_TEXT:,} characters of code in all" in problems(submission)[FIRST]


# What is told where a part is not found


def test_what_is_there_in_place_of_the_parts_is_named(hand_in: HandIn) -> None:
    submission = hand_in({"main.py": "", "part2_trainable_old.py": "", "__MACOSX/x": "", "README.md": ""})

    assert notes(submission) == [
        "No part was found: there is `main.py`, `part2_trainable_old.py`, besides 2 hidden or junk entries. "
        "A part's file is named like part1_simplified.py."
    ]


def test_many_names_are_cut_short(hand_in: HandIn) -> None:
    (note,) = notes(hand_in({f"{number}.txt": "" for number in range(1_000)}))
    assert "`101.txt` and 995 more" in note


def test_a_file_that_is_nearly_named_like_a_part_is_noted(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": "", "Part2_Trainable_old.py": ""})
    assert notes(submission) == [
        "There is no part2_trainable, but `Part2_Trainable_old.py`: the part's file is named part2_trainable.py."
    ]


@pytest.mark.parametrize(
    "name",
    [
        "part2_trainable (1).py",
        "part2_trainable-1.py",
        "part2_trainable-Copy1.py",
        "Copy of part2_trainable.py",
        "part2_trainable - Copy.py",
        "Part2_Trainable.PY",
    ],
)
def test_a_copy_counts_as_the_part_where_there_is_no_other(hand_in: HandIn, name: str) -> None:
    submission = hand_in({name: "x = 1"})

    assert submission.modules["part2_trainable"].blocks[0].text == "x = 1"
    assert notes(submission) == [f"ada/{name} was taken for part2_trainable.py."]


def test_a_copy_does_not_count_beside_the_part_itself(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": "x = 1", f"{FIRST} (1).py": "x = 2"})

    assert submission.modules[FIRST].blocks[0].text == "x = 1"


def test_of_two_at_different_depths_the_note_tells_which_was_marked(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": "x = 1", f"old/{FIRST}.py": "x = 2"})

    assert notes(submission) == [f"ada/{FIRST}.py was marked, not ada/old/{FIRST}.py."]


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    assert read_submission(tmp_path / "ada", "ada", PARTS).notes[0].startswith("No part was found: there is nothing.")


# One file


@pytest.mark.parametrize(("name", "text"), [("ada.py", "x = 1"), ("ada.ipynb", notebook("x = 1"))])
def test_a_single_file_is_the_only_part(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert texts(read_submission(tmp_path / name, "ada", PARTS, SECOND)) == {SECOND: ["x = 1"]}


def test_a_single_file_is_the_part_of_a_course_that_has_one(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("x = 1")
    assert set(read_submission(tmp_path / "ada.py", "ada", [FIRST]).modules) == {FIRST}


def test_a_single_file_named_after_its_part_is_that_part(tmp_path: Path) -> None:
    (tmp_path / f"{SECOND}.py").write_text("x = 1")
    assert set(read_submission(tmp_path / f"{SECOND}.py", "ada", PARTS).modules) == {SECOND}


def test_a_single_file_that_may_be_any_part_is_a_problem_of_every_part(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("x = 1")
    found = problems(read_submission(tmp_path / "ada.py", "ada", PARTS))
    assert ["Mark it with `--part PART`" in found[part] for part in PARTS] == [True, True]


# What cannot be read at all


def test_a_part_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    as_folder(tmp_path, {f"{SECOND}.py": "x = 1"})
    os.mkfifo(tmp_path / "ada" / f"{FIRST}.py")

    submission = read_submission(tmp_path / "ada", "ada", PARTS)

    assert (set(submission.problems), set(submission.modules)) == ({FIRST}, {SECOND})


def test_text_that_is_not_utf8_is_a_problem_of_its_part(tmp_path: Path) -> None:
    as_folder(tmp_path, {"x": ""})
    (tmp_path / "ada" / f"{FIRST}.py").write_bytes(b"# caf\xe9")
    assert "is not UTF-8 text: byte 0xe9 in line 1" in problems(read_submission(tmp_path / "ada", "ada", PARTS))[FIRST]


@pytest.mark.parametrize("name", ["ada", "ada.zip", "ada.py", "ada.tar.gz"])
def test_an_entry_that_is_a_fifo_is_a_problem_of_every_part(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert set(read_submission(tmp_path / name, "ada", PARTS, FIRST).problems) == set(PARTS)


def test_an_entry_of_another_kind_is_told_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "ada.tar.gz").write_bytes(b"")
    assert problems(read_submission(tmp_path / "ada.tar.gz", "ada", PARTS))[SECOND] == (
        "ada.tar.gz is nothing that can be marked. A folder, a .py, an .ipynb or a .zip was expected."
    )


def test_a_zip_that_is_too_large_is_a_problem_of_every_part(tmp_path: Path) -> None:
    with open(tmp_path / "ada.zip", "wb") as file:
        file.truncate(1 << 40)
    assert "more than 20,000,000 bytes" in problems(read_submission(tmp_path / "ada.zip", "ada", PARTS))[FIRST]


def test_an_entry_that_is_a_link_out_of_the_class_is_a_problem_of_every_part(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {f"{FIRST}.py": "x = 1"})
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "bob").symlink_to(folder)

    found = problems(read_submission(tmp_path / "class" / "bob", "bob", PARTS))

    assert ["leads out of the class folder" in found[part] for part in PARTS] == [True, True]


def test_an_entry_that_is_a_link_within_the_class_is_followed(tmp_path: Path) -> None:
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1"})
    (tmp_path / "bob").symlink_to("ada")
    assert set(read_submission(tmp_path / "bob", "bob", PARTS).modules) == {FIRST}


def test_an_entry_that_is_gone_is_a_problem_of_every_part(tmp_path: Path) -> None:
    assert "No such file" in problems(read_submission(tmp_path / "ada", "ada", PARTS))[FIRST]


# Names, digests, marks


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("é", "é"),
        ("a\x1b[2J", r"a\x1b[2J"),
        ("\u202ea", r"\u202ea"),
        ("\udcff", r"\udcff"),
    ],
)
def test_a_name_is_shown_without_what_cannot_be_printed(name: str, expected: str) -> None:
    assert shown(name) == expected


def test_the_digest_is_the_same_whoever_hands_in(tmp_path: Path) -> None:
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1", f"{SECOND}.ipynb": PLAIN})
    (tmp_path / "ada").rename(tmp_path / "bob")
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1", f"{SECOND}.ipynb": PLAIN})
    ones, others = (digest(read_submission(tmp_path / name, name, PARTS)) for name in ("ada", "bob"))
    assert ones == others


def test_the_digest_covers_every_cell(tmp_path: Path) -> None:
    digests = set()
    for text in ("x = 1", "x = 2"):
        as_folder(tmp_path, {f"{FIRST}.ipynb": notebook(text)})
        digests.add(digest(read_submission(tmp_path / "ada", "ada", PARTS)))
    assert len(digests) == 2


def test_a_part_of_a_notebook_and_a_sibling_in_a_module_sit_together(
    tmp_path: Path, sitter: Sitter, practice: Exam
) -> None:
    text = "%time\nfrom part2_trainable import times\ndef dot_product(a, b):\n    return times(a, b).sum()"
    path = as_zip(
        tmp_path, {f"hw/{FIRST}.ipynb": notebook(text), f"hw/{SECOND}.py": "def times(a, b):\n    return a * b"}
    )
    submission = read_submission(path, "ada", PARTS)
    wanted = {FIRST: frozenset({"dot_product"})}

    marks = mark(practice, sit(sitter, submission, practice.syllabus, practice.paper, wanted), submission)

    assert [step.verdict for step in marks.parts[0].steps] == ["passed"]


def test_notes_reach_the_marks(practice: Exam, tmp_path: Path, sitter: Sitter) -> None:
    submission = read_submission(as_folder(tmp_path, {"main.py": ""}), "ada", PARTS)
    marks = mark(practice, sit(sitter, submission, practice.syllabus, practice.paper, {}), submission)
    assert marks.notes == submission.notes != ()

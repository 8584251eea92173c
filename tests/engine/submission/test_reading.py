"""What a student hands in, as a submission: which files are the parts, what is told of the others, and why one cannot be read."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.check import check
from autograder.classroom.tally import Tally
from autograder.exam.model import Exam
from autograder.exam.reference import stub_of_step
from autograder.exam.syllabus import SyllabusPart, load
from autograder.grading.grade import digest
from autograder.runner.processes import Runner
from autograder.site.cells import code, setup
from autograder.submission.archive import MOST_ENTRIES
from autograder.submission.model import LARGEST_FILE, Source, Submission, Urgency, shown
from autograder.submission.reading import MOST_NOTES, REFERENCE, read_submission
from autograder.workspace import COURSE, Workspace

HandIn = Callable[[dict[str, str]], Submission]

PARTS = load(COURSE.syllabus).parts[:2]
FIRST, SECOND = (part.name for part in PARTS)
STUB = PARTS[0].stub

ONE = "def dot_product(a, b):\n    return a @ b\n"
OTHER = "def dot_product(a, b):\n    return (a * b).sum()\n"
PROJECTED = "def project_qkv(x, w_query, w_key, w_value):\n    return x\n"
TWO = f"{ONE}\n\ndef attention_scores(query, inputs):\n    return inputs @ query\n"


def notebook(*cells: object) -> str:
    made = [nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return nbformat.writes(nbformat.v4.new_notebook(cells=made))


PLAIN = notebook("cell = 1")


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


def written(part: str) -> str:
    """Return a file in which something is written for each step of a part."""
    names = (step.name for one in PARTS if one.name == part for step in one.steps)
    return "".join(f"def {name}(*x):\n    return x\n" for name in names)


STUB_NOTEBOOK = stub_notebook(PARTS[0])


def release(**exercises: str) -> dict[str, str]:
    """Return the files of a whole release by path. exercises: what has become of its modules."""
    files = {
        "course.toml": "",
        "autograder/workspace.py": "",
        "exams/syllabus.json": "{}",
        "pyproject.toml": "",
        "docs/helper.py": "",
    }
    for part in PARTS:
        files[f"exercises/{part.name}.py"] = exercises.get(part.name, part.stub)
        files[f"notebooks/{part.name}.ipynb"] = stub_notebook(part)
        files[f"course/{part.name}/{part.name}.py"] = OTHER
    return files


def clone(**exercises: str) -> dict[str, str]:
    """Return the files of a clone of the whole course, its solutions included."""
    files = {".git/HEAD": ""}
    for part in PARTS:
        files |= {f"solutions/{part.name}.py": f"{REFERENCE}\n{TWO}", f"course/{part.name}/alternatives.py": TWO}
        files |= {f"tests/{part.name}.py": TWO, f"benchmarks/{part.name}.py": TWO}
    notebooks = {path for path in release() if path.startswith("notebooks")}
    return {path: text for path, text in (release(**exercises) | files).items() if path not in notebooks}


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


in_a_folder = pytest.mark.parametrize("hand_in", [as_folder], ids=["folder"], indirect=True)
"""For files that are not believed where a student has packed them."""


def texts(submission: Submission) -> dict[str, list[str]]:
    return {name: [block.text for block in source.blocks] for name, source in submission.modules.items()}


def problems(submission: Submission) -> dict[str, str]:
    return {name: failure.message.replace("ada.zip/", "ada/") for name, failure in submission.problems.items()}


def notes(submission: Submission) -> list[str]:
    return [note.replace("ada.zip/", "ada/") for note in submission.notes]


def looks(submission: Submission) -> list[tuple[str, str]]:
    """Return how urgent the notes are that are more than told, and of which part they are; all looks are notes, too."""
    assert {look.says for look in submission.looks} <= set(submission.notes)
    return [(look.urgency.value, look.part) for look in submission.looks]


# Which files are the parts


@pytest.mark.parametrize("folder", ["", "homework/", "a/b/c/d/e/f/g/", "my homework/"])
def test_a_part_is_found_however_deep(hand_in: HandIn, folder: str) -> None:
    assert texts(hand_in({f"{folder}{FIRST}.py": "x = 1"})) == {FIRST: ["x = 1"]}


def test_a_part_that_was_not_handed_in_is_neither_module_nor_problem(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": "x = 1"})
    assert SECOND not in {**submission.modules, **submission.problems}


def test_parts_may_lie_in_different_folders(hand_in: HandIn) -> None:
    assert set(hand_in({f"a/{FIRST}.py": "x = 1", f"b/c/{SECOND}.py": "x = 2"}).modules) == {FIRST, SECOND}


def test_a_notebook_is_read_by_its_cells(hand_in: HandIn) -> None:
    assert hand_in({f"ps1/{FIRST}.ipynb": PLAIN}).modules[FIRST].blocks[0].path.endswith(f"{FIRST}.ipynb, cell 1")


def test_a_broken_notebook_is_a_problem_of_its_part(hand_in: HandIn) -> None:
    assert "is a broken notebook" in problems(hand_in({f"{FIRST}.ipynb": "{", f"{SECOND}.py": ""}))[FIRST]


def test_a_file_is_the_part_whose_steps_it_holds_under_any_name(hand_in: HandIn) -> None:
    submission = hand_in({"my homework.py": ONE, f"{SECOND}.ipynb": notebook(PROJECTED)})

    assert texts(submission) == {FIRST: [ONE], SECOND: [PROJECTED]}
    assert notes(submission) == [f"ada/my homework.py was taken for {FIRST}."]


def test_two_files_whose_names_are_mixed_up_are_told_apart_by_their_steps(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": written(SECOND), f"{SECOND}.py": written(FIRST)})

    assert texts(submission) == {FIRST: [written(FIRST)], SECOND: [written(SECOND)]}
    assert notes(submission) == [f"ada/{SECOND}.py was taken for {FIRST}.", f"ada/{FIRST}.py was taken for {SECOND}."]


def test_names_are_mixed_up_although_one_file_holds_a_helper_from_the_other(hand_in: HandIn) -> None:
    text = f"{ONE}{written(SECOND)}"

    assert texts(hand_in({f"{FIRST}.py": text, f"{SECOND}.py": written(FIRST)}))[SECOND] == [text]


def test_work_counts_for_its_part_beside_a_stub_of_that_part_in_the_name_of_another(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": written(SECOND), f"{SECOND}.py": PARTS[1].stub})

    assert (texts(submission), looks(submission)) == ({SECOND: [written(SECOND)]}, [("check", FIRST)])


def test_a_part_that_also_holds_steps_of_another_is_what_it_is_named(hand_in: HandIn) -> None:
    assert set(hand_in({f"{FIRST}.py": f"{written(FIRST)}{written(SECOND)}"}).modules) == {FIRST}


def test_a_part_under_another_name_can_be_imported_by_that_name(hand_in: HandIn) -> None:
    assert texts(hand_in({"homework.py": ONE, f"{SECOND}.py": "import homework"}))["homework"] == [ONE]


# Zips within


def zipped(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_a_zip_in_a_folder_is_looked_into(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {f"{FIRST}.py": STUB})
    (folder / "homework.zip").write_bytes(zipped({f"mine/{FIRST}.py": ONE}))

    submission = read_submission(folder, "ada", PARTS)

    assert (texts(submission), notes(submission)) == ({FIRST: [ONE]}, [])
    assert submission.modules[FIRST].path == f"ada/homework.zip/mine/{FIRST}.py"


def test_a_zip_in_a_zip_is_looked_into(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {"x.txt": ""})
    with zipfile.ZipFile(folder / "outer.zip", "w") as outer:
        outer.writestr("inner.zip", zipped({f"{FIRST}.py": ONE}))

    assert texts(read_submission(folder, "ada", PARTS)) == {FIRST: [ONE]}


def test_a_zip_within_that_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {f"{FIRST}.py": ONE})
    (folder / "homework.zip").write_bytes(b"Rar!")

    submission = read_submission(folder, "ada", PARTS)

    assert texts(submission) == {FIRST: [ONE]}
    assert notes(submission)[0].startswith("ada/homework.zip is no zip archive that can be read")


def test_a_zip_that_cannot_be_read_and_nothing_else_is_a_problem_of_every_part(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {".hidden": ""})
    (folder / "homework.zip").write_bytes(b"Rar!")

    assert "is no zip archive" in problems(read_submission(folder, "ada", PARTS))[SECOND]


# A stub beside work


@pytest.mark.parametrize(
    ("stub", "work"),
    [
        (f"{FIRST}.py", f"{FIRST} (1).py"),
        (f"{FIRST}.py", f"old/{FIRST}.py"),
        (f"new/{FIRST}.py", f"old/{FIRST}.py"),
        (f"{FIRST}.py", f"Copy of {FIRST}.py"),
        (f"{FIRST}.py", f"old/{FIRST.title()}-2.PY"),
        (f"{FIRST}.py", f"a/b/c/d/e/f/{FIRST}.py"),
        (f"{FIRST}.py", f"old/{FIRST} final.py"),
        (f"{FIRST}.py", f"{FIRST} copy 2.py"),
    ],
)
def test_the_module_with_work_in_it_counts(hand_in: HandIn, stub: str, work: str) -> None:
    submission = hand_in({stub: STUB, work: ONE})

    assert (texts(submission), notes(submission)) == ({FIRST: [ONE]}, [])


@pytest.mark.parametrize("name", ["part1.py", "mine/homework.py"])
def test_work_counts_beside_a_stub_whatever_its_name(hand_in: HandIn, name: str) -> None:
    submission = hand_in({f"{FIRST}.py": STUB, f"{SECOND}.py": PARTS[1].stub, name: ONE})

    assert submission.modules[FIRST].blocks[0].text == ONE
    assert submission.modules[SECOND].blocks[0].text == PARTS[1].stub
    assert notes(submission) == [f"ada/{name} was taken for {FIRST}."]


def test_a_helper_does_not_count_for_the_part(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": STUB, "helper.py": "def double(x):\n    return 2 * x\n"})

    assert submission.modules[FIRST].blocks[0].text == STUB


@pytest.mark.parametrize("name", [f"test_{FIRST}.py", f"{FIRST}_plots.py"])
@pytest.mark.parametrize("part", [STUB, ONE])
def test_a_file_that_is_named_like_a_part_and_holds_none_of_its_steps_does_not_count_beside_it(
    hand_in: HandIn, name: str, part: str
) -> None:
    submission = hand_in({f"a/{FIRST}.py": part, name: "def test_dot_product():\n    assert True\n"})

    assert (texts(submission), notes(submission)) == ({FIRST: [part]}, [])


def test_a_file_with_a_name_of_its_own_does_not_count_beside_work_and_is_told(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": OTHER, "mine.py": TWO})

    assert submission.modules[FIRST].blocks[0].text == OTHER
    assert notes(submission) == [f"ada/{FIRST}.py was marked, not ada/mine.py, which holds work too."]


@pytest.mark.parametrize("line", ["from mine import dot_product", "    import mine"])
def test_nothing_is_told_of_a_file_that_the_part_imports(hand_in: HandIn, line: str) -> None:
    submission = hand_in({f"{FIRST}.py": f"if True:\n    pass\n{line}\n{OTHER}", "mine.py": TWO})

    assert (set(submission.modules), notes(submission)) == ({FIRST, "mine"}, [])


@pytest.mark.parametrize("work", ["return 1", "x = 1\n    raise NotImplementedError"])
def test_a_step_that_is_begun_is_work(hand_in: HandIn, work: str) -> None:
    text = f"def dot_product(a, b):\n    {work}\n"
    assert texts(hand_in({f"{FIRST}.py": STUB, f"old/{FIRST}.py": text})) == {FIRST: [text]}


def test_a_module_counts_beside_a_stub_notebook(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.ipynb": STUB_NOTEBOOK, f"old/{FIRST}.py": ONE})

    assert (texts(submission), notes(submission)) == ({FIRST: [ONE]}, [])


def test_a_notebook_counts_beside_a_stub_module(hand_in: HandIn) -> None:
    submission = hand_in({f"old/{FIRST}.ipynb": notebook(ONE), f"{FIRST}.py": STUB})

    assert (texts(submission), notes(submission)) == ({FIRST: [ONE]}, [])


def test_a_file_that_cannot_be_parsed_counts_beside_a_stub(hand_in: HandIn) -> None:
    broken = "def dot_product(a, b:\n    return a @ b\n"
    submission = hand_in({f"{FIRST}.py": STUB, f"old/{FIRST}.py": broken})

    assert (texts(submission), notes(submission)) == ({FIRST: [broken]}, [])


def test_a_file_that_cannot_be_read_is_a_problem_of_its_part_beside_a_stub(hand_in: HandIn) -> None:
    assert "is a broken notebook" in problems(hand_in({f"{FIRST}.ipynb": "{", f"{FIRST}.py": STUB}))[FIRST]


@pytest.mark.parametrize("names", [[f"{FIRST}.py", f"{FIRST} (1).py"], [f"a/{FIRST}.py", f"b/{FIRST}.py"]])
def test_where_all_are_stubs_one_is_marked_as_such(hand_in: HandIn, names: list[str]) -> None:
    submission = hand_in(dict.fromkeys(names, STUB))

    assert (texts(submission), problems(submission), notes(submission)) == ({FIRST: [STUB]}, {}, [])


def test_each_part_is_taken_from_where_its_work_is(hand_in: HandIn) -> None:
    work = "def project_qkv(x, w_query, w_key, w_value):\n    return x @ w_query, x @ w_key, x @ w_value\n"
    files = {f"a/{FIRST}.py": ONE, f"a/{SECOND}.py": PARTS[1].stub, f"b/{FIRST}.py": STUB, f"b/{SECOND}.py": work}

    assert texts(hand_in(files)) == {FIRST: [ONE], SECOND: [work]}


# Several files with work in them


def test_of_two_files_the_one_with_more_steps_counts(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": ONE, f"old/{FIRST}.ipynb": notebook(TWO)})
    assert texts(submission) == {FIRST: [TWO]}


@pytest.mark.parametrize("other", [f"old/{FIRST}.py", f"{FIRST} (1).py"])
def test_of_files_with_as_many_steps_the_one_in_the_plainest_place_counts(hand_in: HandIn, other: str) -> None:
    submission = hand_in({f"{FIRST}.py": ONE, other: OTHER})

    assert texts(submission) == {FIRST: [ONE]}
    assert notes(submission) == [f"ada/{FIRST}.py was marked, not ada/{other}, which holds work too."]


def test_of_a_notebook_and_a_module_with_as_many_steps_the_notebook_counts(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": ONE, f"{FIRST}.ipynb": notebook(OTHER)})

    assert texts(submission) == {FIRST: [OTHER]}
    assert notes(submission) == [f"ada/{FIRST}.ipynb was marked, not ada/{FIRST}.py, which holds work too."]


def test_of_two_files_in_places_alike_with_as_many_steps_the_first_counts(hand_in: HandIn) -> None:
    submission = hand_in({f"b/{FIRST}.py": OTHER, f"a/{FIRST}.py": ONE})

    assert texts(submission) == {FIRST: [ONE]}
    assert notes(submission) == [f"ada/a/{FIRST}.py was marked, not ada/b/{FIRST}.py, which holds work too."]


@pytest.mark.parametrize("other", [ONE, f"# as it was\n{ONE}", STUB.replace("x", "y")])
def test_nothing_is_told_of_a_file_that_holds_nothing_else(hand_in: HandIn, other: str) -> None:
    submission = hand_in({f"a/{FIRST}.py": TWO, f"b/{FIRST}.py": other, f"c/{FIRST}.ipynb": notebook(TWO)})

    assert (problems(submission), notes(submission)) == ({}, [])


def handed_in(**days: int) -> dict[str, str]:
    """Return the files that tell on which day of November each folder was handed in."""
    return {f"{folder}/timestamp.txt": f"2026-11-{day} 12:00:00.000000 UTC" for folder, day in days.items()}


@in_a_folder
@pytest.mark.parametrize("stub", [{}, {f"{FIRST}.py": STUB}])
def test_the_one_that_was_handed_in_last_counts(hand_in: HandIn, stub: dict[str, str]) -> None:
    submission = hand_in({f"a/{FIRST}.py": OTHER, f"b/{FIRST}.py": TWO} | stub | handed_in(a=20, b=19))

    assert texts(submission) == {FIRST: [OTHER]}
    assert submission.submitted_at == {FIRST: "2026-11-20 12:00:00.000000 UTC"}
    assert notes(submission) == [f"ada/a/{FIRST}.py was marked, not ada/b/{FIRST}.py, which holds work too."]


def test_a_stub_that_was_handed_in_last_does_not_count(hand_in: HandIn) -> None:
    assert texts(hand_in({f"a/{FIRST}.py": STUB, f"b/{FIRST}.py": ONE} | handed_in(a=20, b=19))) == {FIRST: [ONE]}


def test_where_only_one_file_has_a_time_the_times_do_not_count(hand_in: HandIn) -> None:
    assert texts(hand_in({f"{FIRST}.py": TWO, f"old/{FIRST}.py": OTHER} | handed_in(old=20))) == {FIRST: [TWO]}


def test_a_file_that_cannot_be_read_does_not_count_beside_work_not_even_as_the_last(hand_in: HandIn) -> None:
    submission = hand_in({f"a/{FIRST}.ipynb": "{", f"b/{FIRST}.py": ONE} | handed_in(a=20, b=19))

    assert texts(submission) == {FIRST: [ONE]}
    assert f"ada/a/{FIRST}.ipynb is a broken notebook" in notes(submission)[0]


# How urgent a note is


@pytest.mark.parametrize(
    "files",
    [
        {f"{FIRST}.py": ONE, f"{FIRST} (1).py": OTHER},
        {f"{FIRST}.py": ONE, f"{FIRST}.ipynb": notebook(OTHER)},
        {f"{FIRST}.py": ONE, f"old/{FIRST}.ipynb": "{"},
        {f"a/{FIRST}.py": OTHER, f"b/{FIRST}.py": TWO} | handed_in(b=19),
        {f"a/{FIRST}.ipynb": "{", f"b/{FIRST}.py": ONE} | handed_in(a=20, b=19),
        {f"a/{FIRST}.py": ONE, f"a/{FIRST} (1).py": OTHER} | handed_in(a=20),
        {f"{FIRST}.py": ONE, "mine.py": TWO},
    ],
    ids=[
        "a copy",
        "a notebook too",
        "one is broken",
        "one has a time",
        "the last is broken",
        "at the same time",
        "a name of its own",
    ],
)
def test_somebody_must_act_where_it_is_unclear_which_file_counts(hand_in: HandIn, files: dict[str, str]) -> None:
    assert looks(hand_in(files)) == [("must act", FIRST)]


@in_a_folder
def test_which_file_counts_is_only_told_where_the_times_tell_it(hand_in: HandIn) -> None:
    submission = hand_in({f"a/{FIRST}.py": OTHER, f"b/{FIRST}.py": TWO} | handed_in(a=20, b=19))

    assert (len(submission.notes), looks(submission)) == (1, [])


def test_a_name_that_is_read_kindly_is_only_told(hand_in: HandIn) -> None:
    submission = hand_in({"my homework.py": ONE})

    assert (len(submission.notes), looks(submission)) == (1, [])


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({f"{FIRST}.py": ONE, "part2.zip": "no zip"}, ""),
        ({f"{FIRST}.py": ONE, "tools.py": "x = 1", "tools.py.txt": "x = 2"}, ""),
    ],
    ids=["an archive", "two helpers"],
)
def test_what_could_not_be_looked_into_is_to_be_checked(hand_in: HandIn, files: dict[str, str], part: str) -> None:
    assert looks(hand_in(files)) == [("check", part)]


@in_a_folder
def test_a_time_that_is_none_is_to_be_checked(hand_in: HandIn) -> None:
    assert looks(hand_in({f"{FIRST}.py": ONE, "timestamp.txt": "two\nlines"})) == [("check", FIRST)]


@pytest.mark.parametrize(
    ("name", "part"), [("rest.rar", ""), ("rest.tar.xz", ""), (f"{SECOND}.docx", SECOND), (f"my {SECOND}.html", SECOND)]
)
def test_a_file_that_may_hold_work_and_was_not_read_is_to_be_checked(hand_in: HandIn, name: str, part: str) -> None:
    submission = hand_in({f"{FIRST}.py": ONE, name: "?"})

    assert looks(submission) == [("check", part)]
    assert notes(submission) == [f"ada/{name} was not read: it is no module, no notebook, and no .zip or .tar.gz."]


def test_a_part_that_stands_in_the_file_of_another_is_to_be_checked(hand_in: HandIn) -> None:
    submission = hand_in({"all.py": f"{written(FIRST)}{written(SECOND)}"})

    assert looks(submission) == [("check", FIRST)]
    assert f"ada/all.py was taken for {SECOND} alone, and also holds steps of {FIRST}" in " ".join(notes(submission))


def test_a_file_is_what_it_is_named_like_though_it_holds_more_of_a_part_that_has_a_file_of_its_own(
    hand_in: HandIn,
) -> None:
    submission = hand_in({f"{FIRST}.py": written(FIRST), f"{SECOND}.py": f"{PROJECTED}{written(FIRST)}"})

    assert set(submission.modules) == {FIRST, SECOND}
    assert looks(submission) == []


@pytest.mark.parametrize("beside", [{}, {f"old/{FIRST}.py": STUB}], ids=["alone", "beside a stub"])
def test_a_file_that_is_named_like_a_part_and_was_taken_for_another_is_to_be_checked(
    hand_in: HandIn, beside: dict[str, str]
) -> None:
    submission = hand_in({f"{SECOND}.py": f"{PROJECTED}{written(FIRST)}", **beside})

    assert looks(submission) == [("check", SECOND)]
    assert f"ada/{SECOND}.py was taken for {FIRST} alone, and also holds steps of {SECOND}" in " ".join(
        notes(submission)
    )


@pytest.mark.parametrize("text", ["def my_attention(x):\n    return x\n", written(FIRST)], ids=["nothing", "another's"])
def test_a_file_that_is_named_like_a_part_and_holds_none_of_its_steps_is_to_be_checked(
    hand_in: HandIn, text: str
) -> None:
    submission = hand_in({f"{FIRST}.py": written(FIRST), f"{SECOND}.py": text})

    said = f"ada/{SECOND}.py is named like {SECOND}, and holds none of the steps that only this part has."
    assert (looks(submission), notes(submission)) == ([("check", SECOND)], [said])


def test_steps_that_are_assigned_are_steps(hand_in: HandIn) -> None:
    assert looks(hand_in({f"{FIRST}.py": "dot_product = lambda a, b: a @ b\n"})) == []


def test_a_helper_from_another_part_is_no_matter(hand_in: HandIn) -> None:
    assert looks(hand_in({f"{SECOND}.py": f"{PROJECTED}{ONE}"})) == []


@pytest.mark.parametrize("name", ["answers.pdf", "plot.png", f"{FIRST}.html", f"{FIRST}.py.bak", "notes.md"])
def test_nothing_is_told_of_what_lies_beside_the_work(hand_in: HandIn, name: str) -> None:
    assert notes(hand_in({f"{FIRST}.py": ONE, name: "?"})) == []


def test_somebody_must_act_where_no_part_was_found(hand_in: HandIn) -> None:
    assert looks(hand_in({"essay.pdf": ""})) == [("must act", "")]


def test_notes_that_only_tell_something_hide_none_that_calls_for_something(tmp_path: Path) -> None:
    folder = as_folder(tmp_path, {f"{FIRST}.py": TWO, f"old/{FIRST}.py": OTHER})
    for number in range(MOST_NOTES):
        (folder / f"{number}.py").write_bytes("# café".encode("latin-1"))

    submission = read_submission(folder, "ada", PARTS)

    assert looks(submission) == [("must act", FIRST)]
    assert submission.notes[0] == f"ada/{FIRST}.py was marked, not ada/old/{FIRST}.py, which holds work too."
    assert submission.notes[MOST_NOTES:] == (
        f"Of {MOST_NOTES + 1} notes on what was handed in, {MOST_NOTES} are shown.",
    )


def test_somebody_is_to_check_what_there_are_too_many_notes_of_to_show(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": ONE} | {f"{number}.rar": "?" for number in range(MOST_NOTES + 1)})

    assert looks(submission) == [("check", "")] * (MOST_NOTES + 1)
    assert notes(submission)[-1] == f"Of {MOST_NOTES + 1} notes on what was handed in, {MOST_NOTES} are shown."


# A whole release, a clone


@pytest.mark.parametrize("whole", [release, clone])
@pytest.mark.parametrize("folder", ["", "attention/"])
def test_of_a_whole_release_the_files_with_work_in_them_count(
    hand_in: HandIn, whole: Callable[..., dict[str, str]], folder: str
) -> None:
    submission = hand_in({f"{folder}{path}": text for path, text in whole(part1_simplified=ONE).items()})

    assert (texts(submission)[FIRST], notes(submission), problems(submission)) == ([ONE], [], {})


def test_of_a_whole_release_a_notebook_with_work_in_it_counts(hand_in: HandIn) -> None:
    submission = hand_in(release() | {f"notebooks/{FIRST}.ipynb": notebook(ONE)})

    assert (texts(submission)[FIRST], notes(submission)) == ([ONE], [])


@pytest.mark.parametrize("whole", [release, clone])
def test_of_an_untouched_release_the_stubs_are_marked(hand_in: HandIn, whole: Callable[..., dict[str, str]]) -> None:
    submission = hand_in(whole())

    assert all("raise NotImplementedError" in "".join(texts(submission)[part.name]) for part in PARTS)
    assert (set(submission.modules), notes(submission), problems(submission)) == ({FIRST, SECOND}, [], {})


def test_of_a_clone_of_this_course_the_exercises_count(tmp_path: Path, course: Workspace) -> None:
    folders = [course.root / name for name in ("autograder", "benchmarks", "course", "exams", "solutions", "tests")]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    files = {path.relative_to(course.root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    files |= {f"exercises/{part.name}.py": part.stub for part in PARTS} | {f"exercises/{FIRST}.py": ONE}
    files["course.toml"] = ""

    submission = read_submission(as_zip(tmp_path, files), "ada", PARTS)

    assert (texts(submission), notes(submission)) == ({FIRST: [ONE], SECOND: [PARTS[1].stub]}, [])


def test_the_solutions_of_a_clone_are_nobody_s_work(hand_in: HandIn) -> None:
    files = clone()
    del files[f"exercises/{FIRST}.py"]

    assert set(hand_in(files).modules) == {SECOND}


def test_a_folder_named_solutions_is_a_student_s_own_in_a_release(hand_in: HandIn) -> None:
    assert texts(hand_in(release() | {f"solutions/{FIRST}.py": ONE}))[FIRST] == [ONE]


@pytest.mark.parametrize("folder", ["", "course/"])
def test_the_course_s_solutions_do_not_count_in_a_release_either(hand_in: HandIn, folder: str) -> None:
    reference = f"def dot_product(a, b):\n    {REFERENCE}\n    return a @ b\n    ### END SOLUTION\n"
    own = {f"solutions/{FIRST}.py": reference, f"solutions/alternatives/{FIRST}.py": TWO}

    submission = hand_in({f"{folder}{path}": text for path, text in (release() | own).items()})

    assert "raise NotImplementedError" in "".join(texts(submission)[FIRST])


def test_the_course_s_own_files_do_not_count_towards_the_most(hand_in: HandIn) -> None:
    files = {f"autograder/{number}.py": "" for number in range(MOST_ENTRIES)}

    assert problems(hand_in(release() | files)) == {}


# Modules beside the parts


def test_a_module_beside_a_part_is_read(hand_in: HandIn) -> None:
    assert texts(hand_in({f"a/{FIRST}.py": "x = 1", "a/tools.py": "y = 2"}))["tools"] == ["y = 2"]


@pytest.mark.parametrize("name", ["elsewhere/tools.py", "my tools.py", "tools.txt", f"b/{FIRST}.py"])
def test_what_no_part_could_import_is_not_read(hand_in: HandIn, name: str) -> None:
    assert set(hand_in({f"{FIRST}.py": "x = 1", name: "y = 2"}).modules) == {FIRST}


def test_each_part_has_the_modules_of_its_own_folder_first(hand_in: HandIn) -> None:
    files = {
        f"a/{FIRST}.py": f"import tools\n{ONE}",
        f"b/{SECOND}.py": f"import {FIRST}, more, tools\n{PROJECTED}",
        "a/more.py": "y = 1",
        "a/tools.py": "x = 1",
        "b/tools.py": "x = 2",
    }
    submission = hand_in(files)

    found = [submission.code_of(part)["tools"].text for part in (FIRST, SECOND)]
    assert (found, notes(submission)) == (["x = 1", "x = 2"], [])
    assert set(submission.code_of(SECOND)) == {FIRST, SECOND, "more", "tools"}


NAMED = [
    ("import tools", True),
    ("def f():\n    from tools import (\n        x)", True),
    ("import math; import tools.inner as y", True),
    ("try:\n    pass\nexcept ValueError:\n    import tools", True),
    ("import tools\nand a line that is no Python", True),
    ("import ｔｏｏｌｓ", True),
    ('"""with my tools\nfrom tools I have the idea\n"""', False),
    ('import_module("tools")', False),
]


@pytest.mark.parametrize("text", [text for text, _ in NAMED])
def test_a_part_runs_with_the_modules_beside_it_that_it_names(hand_in: HandIn, text: str) -> None:
    submission = hand_in({f"a/{FIRST}.py": f"{text}\n{ONE}", "a/tools.py": "x = 1"})
    assert submission.code_of(FIRST).keys() == {FIRST, "tools"}


@pytest.mark.parametrize(("text", "imports"), NAMED)
def test_a_part_runs_with_the_modules_of_other_folders_that_it_imports(
    hand_in: HandIn, text: str, imports: bool
) -> None:
    files = {f"a/{FIRST}.py": f"{text}\n{ONE}", f"b/{SECOND}.py": PROJECTED, "b/tools.py": "x = 1"}
    assert ("tools" in hand_in(files).code_of(FIRST)) == imports


def test_what_a_part_does_not_name_it_cannot_import(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": f'import_module("to" + "ols")\n{ONE}', "tools.py": "x = 1"})
    assert submission.code_of(FIRST).keys() == {FIRST}


def test_of_two_files_with_work_that_counts_which_lies_where_the_part_was_handed_in(tmp_path: Path) -> None:
    better = f"{ONE}\n\ndef attention_scores(query, inputs):\n    return inputs @ query\n"
    as_folder(tmp_path, {f"one/{FIRST}.py": ONE, f"two/{FIRST}_v2.py": better})

    found = read_submission(tmp_path / "ada", "ada", PARTS, places={FIRST: {"ada/one"}})

    assert found.modules[FIRST].path == f"ada/one/{FIRST}.py"
    assert [look.urgency for look in found.looks] == [Urgency.MUST_ACT]


def test_of_two_different_modules_of_a_name_in_one_folder_the_first_is_read_and_a_note_says_so(hand_in: HandIn) -> None:
    files = {f"{FIRST}.py": ONE, "tools.py": "x = 1", "tools.py.txt": "x = 2"}
    assert notes(hand_in(files)) == ["`import tools` gives ada/tools.py, not ada/tools.py.txt, which differs."]


def test_two_equal_modules_of_a_name_are_no_matter(hand_in: HandIn) -> None:
    files = {f"a/{FIRST}.py": "", f"b/{SECOND}.py": "", "a/tools.py": "x = 1", "b/tools.py": "x = 1"}
    assert notes(hand_in(files)) == []


def test_a_module_that_cannot_be_read_is_noted(hand_in: HandIn) -> None:
    files = {f"{FIRST}.py": "", "tools.py": "#" * (LARGEST_FILE + 1)}
    assert notes(hand_in(files)) == ["ada/tools.py has more than 100,000 bytes, the most that is read."]


def test_an_empty_module_beside_a_part_is_no_matter(hand_in: HandIn) -> None:
    submission = hand_in({f"{FIRST}.py": ONE, "__init__.py": ""})
    assert (notes(submission), submission.modules["__init__"].text) == ([], "")


# What is told where a part is not found


def test_what_is_there_in_place_of_the_parts_is_named(hand_in: HandIn) -> None:
    submission = hand_in({"main.py": "", "part2.txt": "", "__MACOSX/x": "", "README.md": ""})

    assert notes(submission) == [
        "No part was found: there is `main.py`, `part2.txt`, besides 2 hidden or junk entries. "
        "A part's file is named like part1_simplified.py, or holds its steps."
    ]


def test_many_names_are_cut_short(hand_in: HandIn) -> None:
    (note,) = notes(hand_in({f"{number}.txt": "" for number in range(1_000)}))
    assert "`101.txt` and 995 more" in note


@pytest.mark.parametrize(
    "name",
    [
        "part2_trainable (1).py",
        "part2_trainable-1.py",
        "part2_trainable-Copy1.py",
        "Copy of part2_trainable.py",
        "part2_trainable - Copy.py",
        "Part2_Trainable.PY",
        "my part2_trainable_old.py",
    ],
)
def test_a_copy_is_the_part_where_there_is_no_other(hand_in: HandIn, name: str) -> None:
    submission = hand_in({name: PROJECTED})

    assert (texts(submission), notes(submission)) == ({SECOND: [PROJECTED]}, [])


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
    assert set(read_submission(tmp_path / "ada.py", "ada", PARTS[:1]).modules) == {FIRST}


def test_a_single_file_named_after_its_part_is_that_part(tmp_path: Path) -> None:
    (tmp_path / f"{SECOND}.py").write_text("x = 1")
    assert set(read_submission(tmp_path / f"{SECOND}.py", "ada", PARTS).modules) == {SECOND}


def test_a_single_file_is_the_part_whose_steps_it_holds(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text(ONE)
    assert texts(read_submission(tmp_path / "ada.py", "ada", PARTS)) == {FIRST: [ONE]}


def test_a_single_file_that_may_be_any_part_is_a_problem_of_every_part(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("x = 1")
    found = problems(read_submission(tmp_path / "ada.py", "ada", PARTS))
    assert ["Mark it with `--part PART`" in found[part.name] for part in PARTS] == [True, True]


# What cannot be read at all


def test_a_part_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    as_folder(tmp_path, {f"{SECOND}.py": "x = 1"})
    os.mkfifo(tmp_path / "ada" / f"{FIRST}.py")

    submission = read_submission(tmp_path / "ada", "ada", PARTS)

    assert (set(submission.problems), set(submission.modules)) == ({FIRST}, {SECOND})


@pytest.mark.parametrize(
    ("encoding", "read_as"), [("latin-1", "windows-1252"), ("cp1252", "windows-1252"), ("utf-16", "utf-16")]
)
def test_text_in_another_encoding_is_read_and_a_note_says_so(tmp_path: Path, encoding: str, read_as: str) -> None:
    as_folder(tmp_path, {"x": ""})
    (tmp_path / "ada" / f"{FIRST}.py").write_bytes(f"# café\n{ONE}".encode(encoding))

    submission = read_submission(tmp_path / "ada", "ada", PARTS)

    assert texts(submission) == {FIRST: [f"# café\n{ONE}"]}
    assert notes(submission) == [f"ada/{FIRST}.py is not UTF-8 text, and was read as {read_as}."]


def test_text_that_names_its_encoding_needs_no_note(tmp_path: Path) -> None:
    text = f"# coding: latin-1\n# café\n{ONE}"
    as_folder(tmp_path, {"x": ""})
    (tmp_path / "ada" / f"{FIRST}.py").write_bytes(text.encode("latin-1"))

    submission = read_submission(tmp_path / "ada", "ada", PARTS)

    assert (texts(submission), notes(submission)) == ({FIRST: [text]}, [])


def test_what_is_no_text_in_any_usual_encoding_is_a_problem_of_its_part(tmp_path: Path) -> None:
    as_folder(tmp_path, {"x": ""})
    (tmp_path / "ada" / f"{FIRST}.py").write_bytes(b"# \x81")
    assert "is not UTF-8 text: byte 0x81 in line 1" in problems(read_submission(tmp_path / "ada", "ada", PARTS))[FIRST]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_step_is_found_whatever_its_line_ends(tmp_path: Path, line_end: str) -> None:
    as_folder(tmp_path, {"x": ""})
    (tmp_path / "ada" / "homework.py").write_bytes(f"import torch\n{ONE}".replace("\n", line_end).encode())
    assert FIRST in read_submission(tmp_path / "ada", "ada", PARTS).modules


@pytest.mark.parametrize("name", ["ada", "ada.zip", "ada.py", "ada.tar.gz"])
def test_an_entry_that_is_a_fifo_is_a_problem_of_every_part(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert set(read_submission(tmp_path / name, "ada", PARTS, FIRST).problems) == {FIRST, SECOND}


def test_an_entry_of_another_kind_is_told_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "ada.rar").write_bytes(b"")
    assert problems(read_submission(tmp_path / "ada.rar", "ada", PARTS))[SECOND] == (
        "ada.rar is nothing that can be marked. A folder, a .py, an .ipynb, a .zip or a .tar.gz was expected."
    )


def test_a_huge_file_that_is_no_zip_is_a_problem_of_every_part(tmp_path: Path) -> None:
    with open(tmp_path / "ada.zip", "wb") as file:
        file.truncate(1 << 40)
    assert "is no zip archive that can be read" in problems(read_submission(tmp_path / "ada.zip", "ada", PARTS))[FIRST]


@pytest.mark.parametrize("target", ["ada", f"ada/{FIRST}.py", "ada.zip", "/etc", "nowhere"])
@pytest.mark.parametrize("name", ["bob", "bob.py", "bob.zip"])
def test_an_entry_that_is_a_link_takes_nobody_s_work(tmp_path: Path, name: str, target: str) -> None:
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1"})
    as_zip(tmp_path, {f"{FIRST}.py": "x = 1"})
    (tmp_path / name).symlink_to(target)

    found = read_submission(tmp_path / name, "bob", PARTS, FIRST)

    told = f"{name} is a link, which may lead to somebody else's work. Put the work itself there."
    assert (found.modules, problems(found)) == ({}, {FIRST: told, SECOND: told})


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


@pytest.mark.parametrize(("text", "same"), [("import impl\n", False), ("import math\n", True)])
def test_the_digest_of_a_part_is_of_what_it_names_too(text: str, same: bool) -> None:
    of = {"part1_simplified": Source.module("part1_simplified.py", text)}
    one, other = (Submission("ada", of | {"impl": Source.module("impl.py", helper)}) for helper in ("x = 1", "x = 2"))

    assert (digest(one.code_of("part1_simplified")) == digest(other.code_of("part1_simplified"))) == same


def test_the_digest_is_the_same_whoever_hands_in(tmp_path: Path) -> None:
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1", f"{SECOND}.ipynb": PLAIN})
    (tmp_path / "ada").rename(tmp_path / "bob")
    as_folder(tmp_path, {f"{FIRST}.py": "x = 1", f"{SECOND}.ipynb": PLAIN})
    ones, others = (digest(read_submission(tmp_path / name, name, PARTS).modules) for name in ("ada", "bob"))
    assert ones == others


def test_the_digest_covers_every_cell(tmp_path: Path) -> None:
    digests = set()
    for text in ("x = 1", "x = 2"):
        as_folder(tmp_path, {f"{FIRST}.ipynb": notebook(text)})
        digests.add(digest(read_submission(tmp_path / "ada", "ada", PARTS).modules))
    assert len(digests) == 2


def test_a_part_of_a_notebook_and_a_sibling_in_a_module_sit_together(
    tmp_path: Path, runner: Runner, practice: Exam
) -> None:
    text = "%time\nfrom part2_trainable import times\ndef dot_product(a, b):\n    return times(a, b).sum()"
    path = as_zip(
        tmp_path, {f"hw/{FIRST}.ipynb": notebook(text), f"hw/{SECOND}.py": "def times(a, b):\n    return a * b"}
    )
    submission = read_submission(path, "ada", PARTS)

    marks = check(practice, submission, [practice.syllabus.part(FIRST).step("dot_product")], runner)

    assert [step.verdict for step in marks.parts[0].steps] == ["passed"]


def test_a_part_imports_what_lies_beside_it_though_another_has_a_module_of_that_name(
    tmp_path: Path, runner: Runner, practice: Exam
) -> None:
    one = "from tools import times\ndef dot_product(a, b):\n    return times(a, b).sum()\n"
    files = {f"a/{FIRST}.py": one, "a/tools.py": "def times(a, b):\n    return a * b\n"}
    two = "from tools import root\ndef scale_scores(scores, d_k):\n    return scores / root(d_k)\n"
    files |= {f"b/{SECOND}.py": two, "b/tools.py": "def root(x):\n    return x**0.5\n"}
    steps = [practice.syllabus.part(FIRST).step("dot_product"), practice.syllabus.part(SECOND).step("scale_scores")]

    marks = check(practice, read_submission(as_folder(tmp_path, files), "ada", PARTS), steps, runner)

    assert [step.verdict for part in marks.parts for step in part.steps] == ["passed", "passed"]


def test_notes_reach_the_marks(practice: Exam, tmp_path: Path, runner: Runner) -> None:
    submission = read_submission(as_folder(tmp_path, {"main.py": ""}), "ada", PARTS)
    marks = check(practice, submission, [], runner)
    assert marks.notes == submission.notes != ()


def test_who_hands_in_the_whole_release_has_the_points_and_needs_no_look(
    practice: Exam, course: Workspace, tmp_path: Path, runner: Runner
) -> None:
    part = practice.syllabus.part(FIRST)
    path = as_zip(tmp_path, release(part1_simplified=(course.solutions / f"{FIRST}.py").read_text(encoding="utf-8")))
    submission = read_submission(path, "ada", practice.syllabus.parts)
    tally = Tally()

    marks = check(practice, submission, part.steps, runner)
    tally.add(marks)

    assert (marks.score, tally.rows[0].looks) == (part.points, ())

"""The release for students: it holds what they need, installs, marks, and gives nothing away."""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from command import attn_in
from environments import run_program
from screen_text import one_line
from secrets_of import lines_of_solutions, squeezed
from tiny_course import TinyCourse

from autograder.authoring import release, sync
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam
from autograder.exam.syllabus import to_json
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

ATTN = Path(sys.executable).with_name("attn")
SOFTMAX = """
def softmax(scores):
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
"""


@pytest.fixture(scope="module")
def files(course: Workspace, practice: Exam) -> dict[str, bytes]:
    return release.files_of(course, practice.syllabus, site="")


@pytest.fixture(scope="module")
def first_week(course: Workspace, practice: Exam) -> dict[str, bytes]:
    """A release of the first part alone."""
    return release.files_of(course, replace(practice.syllabus, parts=practice.syllabus.parts[:1]), site="")


@pytest.fixture(scope="module")
def texts(files: dict[str, bytes]) -> dict[str, str]:
    """Every file of the release, and of the archives in it, as text without any space, quote or line break."""
    return {path: squeezed(content.decode("utf-8", "replace")) for path, content in unpacked(files)}


def unpacked(files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield files, and what is packed in them."""
    for path, content in files.items():
        yield path, content
        if zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from unpacked({f"{path}/{name}": archive.read(name) for name in archive.namelist()})
        if content.startswith(b"\x1f\x8b"):
            yield f"{path}/", gzip.decompress(content)


def test_no_line_of_a_solution_is_in_a_release(texts: dict[str, str], course: Workspace, practice: Exam) -> None:
    lines = lines_of_solutions(course, practice.syllabus)
    found = [(path, line) for path, text in texts.items() for line in lines if line in text]

    assert len(lines) > 80
    assert found == []


def test_no_known_mistake_is_in_a_release(files: dict[str, bytes], texts: dict[str, str], course: Workspace) -> None:
    lines = {
        line.strip()
        for path in (course.root / "course").glob("*/mistakes.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s+(return|\w+ = ).*[@(]", line) and len(line.strip()) > 40
    }
    found = [(path, line) for path, text in texts.items() for line in lines if squeezed(line) in text]

    assert len(lines) > 100
    assert found == []
    assert [path for path in files if re.search("mistakes|alternatives|equivalent", path)] == []


def test_the_only_exam_in_a_release_is_the_practice_exam(files: dict[str, bytes], course: Workspace) -> None:
    assert [path for path in files if path.endswith(".exam")] == ["exams/practice.exam"]
    assert files["exams/practice.exam"] == course.practice_exam.read_bytes()


def drawn_numbers(exam: Exam) -> set[bytes]:
    """Return the bytes of all inputs but whole numbers: the same few tokens come again by chance."""
    values = (value for case in exam.paper.cases for value in case.inputs.values() if hasattr(value, "tobytes"))
    return {value.tobytes() for value in values if value.dtype.kind == "f"}


def test_no_input_of_a_hidden_exam_is_in_a_release(
    files: dict[str, bytes], course: Workspace, practice: Exam, tmp_path: Path
) -> None:
    """The lecture's own examples are in every exam; what a seed has drawn is in none but its own."""
    scope = {step.path for part in practice.syllabus.parts[:2] for step in part.steps}
    write_exam(build_exam(course.course, seed=4, with_mistakes=False, scope=scope), tmp_path / "hidden.exam")
    hidden = read_exam(tmp_path / "hidden.exam")
    secret = {numbers for numbers in drawn_numbers(hidden) - drawn_numbers(practice) if len(numbers) >= 16}
    content = b"\0".join(content for _, content in unpacked(files))

    assert len(secret) > 100
    assert not any(numbers in content for numbers in secret)
    assert hidden.digest.encode() not in content


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder of a built site of one page."""
    folder = tmp_path / "site"
    (folder / "lectures" / "tiny").mkdir(parents=True)
    (folder / "lectures" / "tiny" / "index.html").write_text("<h1>Tiny</h1>", encoding="utf-8")
    (folder / "index.html").write_text("<h1>Welcome</h1>", encoding="utf-8")
    return folder


def test_a_site_that_shows_solutions_is_in_no_release(tiny: TinyCourse, site: Path, tmp_path: Path) -> None:
    page = site / "lectures" / "tiny" / "index.html"
    page.write_text('<details class="solution"><summary>Solution</summary></details>', encoding="utf-8")
    made = attn_in(tiny.workspace, "release", "--out", str(tmp_path / "out"), "--with-site", str(site))

    assert made.returncode == 2
    assert f"{page} shows solutions: build the site without them" in one_line(made.stderr)
    assert not (tmp_path / "out").exists()


def test_a_release_of_a_part_holds_nothing_to_write_in_of_the_others(
    first_week: dict[str, bytes], practice: Exam
) -> None:
    first, *others = practice.syllabus.parts
    told = {path: content.decode("utf-8", "replace") for path, content in unpacked(first_week)}
    summaries = {step.summary for part in others for step in part.steps} - {step.summary for step in first.steps}
    found = [
        (path, summary)
        for path, text in told.items()
        for summary in summaries
        if not path.startswith(("workbench/", "docs/")) and summary in text
    ]

    assert [path for path in first_week if path.startswith(("exercises/", "notebooks/"))] == [
        f"exercises/{first.name}.py",
        f"notebooks/{first.name}.ipynb",
    ]
    assert len(summaries) > 30
    assert found == []


def test_a_release_of_a_part_has_an_exam_on_it_alone(
    first_week: dict[str, bytes], practice: Exam, tmp_path: Path
) -> None:
    first = practice.syllabus.parts[0]
    (tmp_path / "practice.exam").write_bytes(first_week["exams/practice.exam"])
    exam = read_exam(tmp_path / "practice.exam")

    assert exam.syllabus.parts == (first,)
    assert {case.part for case in exam.paper.cases} == {first.name}
    assert first_week["exams/syllabus.json"].decode() == to_json(exam.syllabus)
    assert msgspec.msgpack.decode(first_week["exams/practice.exam"])["parts"].keys() == {first.name}


def test_no_compiled_file_and_no_verb_of_an_instructor_is_in_a_release(files: dict[str, bytes]) -> None:
    assert [path for path in files if path.endswith(".pyc")] == []
    assert [path for path in files if path.startswith(("autograder/classroom", "autograder/authoring", "tests"))] == []


def test_a_release_is_made_in_an_empty_folder_only(
    course: Workspace, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "files_of", lambda *_: files)
    monkeypatch.setattr(sync, "check", lambda _: [])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")

    refused = attn_in(course, "release", "--out", str(tmp_path / "mine"))
    made = attn_in(course, "release", "--out", str(tmp_path / "made"))

    assert refused.returncode == 2
    assert "is not empty" in refused.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    assert made.returncode == 0, made.stderr
    assert {path: (tmp_path / "made" / path).read_bytes() for path in files} == files


@pytest.mark.world
def test_a_release_marks_by_itself(files: dict[str, bytes], tmp_path: Path) -> None:
    """With the grader that is in it, and no other."""
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    exercise = tmp_path / "exercises" / "part1_simplified.py"
    exercise.write_text(exercise.read_text(encoding="utf-8") + SOFTMAX, encoding="utf-8")

    program = "import autograder.cli.main as grader; print(grader.__file__); grader.main(['check', 'softmax'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))
    assert "8 of 8 points" in done.stdout


@pytest.mark.world
def test_a_student_installs_a_release_and_solves_a_step(course: Workspace, tmp_path: Path) -> None:
    """In an empty folder, with a fresh environment, by the lines of the release's own README."""
    subprocess.run([ATTN, "release", "--out", tmp_path / "release"], cwd=course.root, check=True, capture_output=True)
    folder = shutil.move(tmp_path / "release", tmp_path / "student")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    setup, work = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)

    first = run_program(folder, "bash", "-c", "set -e\n" + setup)
    assert first.returncode == 0, first.stderr
    assert "Next: part1_simplified.dot_product" in first.stdout

    stub = run_program(folder, "bash", "-c", ". .venv/bin/activate\n" + work)
    assert "not attempted" in stub.stdout

    exercise = folder / "exercises" / "part1_simplified.py"
    exercise.write_text(exercise.read_text(encoding="utf-8") + SOFTMAX, encoding="utf-8")
    solved = run_program(folder, "bash", "-c", ". .venv/bin/activate\nattn check softmax")
    assert solved.returncode == 0, solved.stderr
    assert "8 of 8 points" in solved.stdout

    solution = run_program(folder, "bash", "-c", ". .venv/bin/activate\nattn solution softmax --anyway")
    assert solution.returncode == 2
    assert "this needs solutions/, which this copy of the course does not include" in solution.stderr

    panel = run_program(folder, "bash", "-c", ". .venv/bin/activate\npytest -k 'part1_simplified and softmax'")
    assert "1 passed" in panel.stdout
    assert "anyio" not in panel.stdout

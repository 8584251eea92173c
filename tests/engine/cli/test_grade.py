"""`attn grade`: a class goes in, marks come out, and whatever stops it loses nothing."""

import csv
import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import ATTN, Run, attn_in
from processes import alive, descendants, eventually
from screen_text import one_line
from small_class import MODULE, WRONG, set_exams_here

from autograder.classroom.grader import Grader
from autograder.cli.class_exam import random_exam
from autograder.course.errors import BrokenCourse
from autograder.exam import build
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam
from autograder.grading.results import Marks
from autograder.runner.processes import CannotRun
from autograder.sandbox import levels
from autograder.submission.model import Submission
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system]

LOOP = "def dot_product(a, b):\n    while True: pass\n"

Grade = Callable[..., Run]


def make_class(course: Workspace, folder: Path) -> Path:
    """Make a class of three: one right, one wrong, one with a syntax error."""
    for student in ("ada", "bob", "eve"):
        (folder / student).mkdir(parents=True)
    shutil.copy(course.solutions / MODULE, folder / "ada")
    (folder / "bob" / MODULE).write_text(WRONG)
    (folder / "eve" / MODULE).write_text("def dot_product(a, b:\n")
    return folder


@pytest.fixture
def folder(course: Workspace, tmp_path: Path) -> Path:
    return make_class(course, tmp_path / "class")


@pytest.fixture
def grade(course: Workspace, tmp_path: Path, class_exam: Path) -> Grade:
    def run(*arguments: object, exam: Path | None = class_exam, out: Path = tmp_path / "out") -> Run:
        options = ["--out", out, *(("--exam", exam) if exam else ())]
        return attn_in(course, "grade", *map(str, [*arguments, *options]), COLUMNS="100")

    return run


def marks_in(out: Path) -> dict[str, dict[str, Any]]:
    found = [json.loads(path.read_bytes()) for path in (out / "marks").glob("*.json")]
    return {marks["submission"]: marks for marks in found}


def summary_in(out: Path) -> dict[str, dict[str, str]]:
    with (out / "summary.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("marked") / "out"


@pytest.fixture(scope="module")
def marked(course: Workspace, class_exam: Path, results: Path) -> Run:
    folder = make_class(course, results.parent / "class")
    options = ("--out", results, "--exam", class_exam)
    return attn_in(course, "grade", *map(str, (folder, *options)), COLUMNS="100")


def test_a_class_is_marked_in_the_full_sandbox(marked: Run, results: Path) -> None:
    marks = marks_in(results)
    assert marked.returncode == 3, marked.stderr
    assert {name: one["score"] for name, one in marks.items()} == {"ada": 25.0, "bob": 4.0, "eve": 0.0}
    assert {one["sandbox"] for one in marks.values()} == {"full"}
    assert "SyntaxError in eve/part1_simplified.py, line 1" in marks["eve"]["parts"][0]["error"]


def test_the_summary_counts_verdicts_names_the_commonest_causes_and_who_needs_a_look(marked: Run) -> None:
    shown = marked.stdout

    assert "3 of 3 submissions marked" in shown
    assert re.search(r"^ +6  passed$", shown, re.MULTILINE)
    assert re.search(r"^ +8  missing$", shown, re.MULTILINE)
    assert re.search(r"Most common causes\n *1  dot_product  You return the products", shown)
    assert re.search(r"Must act: 1\neve +part1_simplified could not be read: SyntaxError", shown)


def test_all_students_are_listed_with_their_points(marked: Run, results: Path) -> None:
    listed = summary_in(results)
    assert {name: row["score"] for name, row in listed.items()} == {"ada": "25", "bob": "4", "eve": ""}
    assert listed["eve"]["look"].startswith("must act: part1_simplified could not be read: SyntaxError")


def test_a_second_run_marks_nothing_and_says_the_same(grade: Grade, folder: Path, tmp_path: Path) -> None:
    first = grade(folder)
    before = marks_in(tmp_path / "out")

    second = grade(folder)

    assert "0 of 3 submissions marked; 3 had marks before" in second.stdout
    assert second.stdout.split("\n\n", 1)[1] == first.stdout.split("\n\n", 1)[1]
    assert second.returncode == first.returncode
    assert marks_in(tmp_path / "out") == before


def test_who_moved_and_why_is_shown_after_a_second_run(grade: Grade, folder: Path, tmp_path: Path) -> None:
    grade(folder)
    shutil.copy(folder / "ada" / MODULE, folder / "bob" / MODULE)

    again = grade(folder, "--compare", tmp_path / "out")

    assert "Compared with" in again.stdout
    assert re.search(r"^1 of 3 students' marks changed; every step that changed: .*moves\.csv$", again.stdout, re.M)
    assert re.search(
        r"^bob  part1_simplified.softmax  0 → 8  missing → passed  \(submitted something else\)$", again.stdout, re.M
    )
    assert "ada" not in again.stdout.split("Compared with")[1]


def test_new_results_take_over_the_decisions_of_those_they_are_compared_with(
    grade: Grade, folder: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "out", tmp_path / "again"
    grade(folder)
    (old / "adjustments.csv").write_text(
        "student,part,points,excused,reason\nada,1,27,,a better proof\nbob,1,,yes,ill\n"
    )
    shutil.copy(folder / "ada" / MODULE, folder / "bob" / MODULE)

    run = grade(folder, "--compare", old, out=new)

    assert run.stdout.startswith(f"{new}/adjustments.csv: your decisions, taken over from {old}\n")
    assert {name: row["score"] for name, row in summary_in(new).items()} == {"ada": "27", "bob": "", "eve": ""}
    assert re.search(r"bob +a new attempt of part1_simplified has come after line 3", run.stdout)
    assert re.search(r"For your information: 1\nada +line 2 of the adjustments gives 27 points", run.stdout)
    assert not (old / "judged.json").exists()

    (old / "adjustments.csv").write_text("student,part,points\nada,1,3\n")
    assert "taken over" not in grade(folder, "--compare", old, out=new).stdout
    assert summary_in(new)["ada"]["score"] == "27"


@pytest.fixture
def exam_is_set_at_once(monkeypatch: pytest.MonkeyPatch, class_exam: Path) -> None:
    """Let an exam that is there be what is set from a random seed."""
    set_exams_here(monkeypatch)
    monkeypatch.setattr(build, "build_exam", lambda *_: read_exam(class_exam))


@pytest.mark.usefixtures("exam_is_set_at_once")
def test_without_an_exam_one_is_set_and_kept(grade: Grade, folder: Path, class_exam: Path, tmp_path: Path) -> None:
    run = grade(folder, exam=None)
    exam = (tmp_path / "out" / "class.exam").read_bytes()
    again = grade(folder, exam=None)

    assert read_exam(tmp_path / "out" / "class.exam").digest == read_exam(class_exam).digest
    assert (tmp_path / "out" / "class.exam").read_bytes() == exam
    assert ["setting an exam" in one.stderr for one in (run, again)] == [True, False]
    assert "0 of 3 submissions marked" in again.stdout


def test_who_of_the_roster_handed_in_nothing_is_told_and_who_is_not_in_it(
    grade: Grade, folder: Path, tmp_path: Path
) -> None:
    (folder / "roster.csv").write_text('name,login\nAda,ada\n,EVE\n"Li, Wei",wei\n,fay\n', encoding="utf-8")
    done = grade(folder)

    assert "handed in nothing: Li, Wei; fay\nnot in the roster: bob\n" in done.stdout
    assert list(listed := summary_in(tmp_path / "out")) == ["ada", "bob", "eve", "fay", "wei"]
    assert listed["wei"]["score"] == "0"


def test_an_exam_with_other_points_than_the_course_has_is_refused(
    grade: Grade, folder: Path, class_exam: Path, tmp_path: Path
) -> None:
    exam = read_exam(class_exam)
    first, *others = exam.syllabus.parts
    step = replace(first.steps[0], points=first.steps[0].points + 2)
    parts = (replace(first, steps=(step, *first.steps[1:])), *others)
    write_exam(replace(exam, syllabus=replace(exam.syllabus, parts=parts)), tmp_path / "other.exam")

    done = grade(folder, exam=tmp_path / "other.exam")

    assert done.returncode == 2
    assert "does not fit the course: part1_simplified.dot_product, 4 points, now 2" in one_line(done.stderr)


def test_an_exam_that_does_not_tell_all_mistakes_apart_is_drawn_again(
    monkeypatch: pytest.MonkeyPatch, practice: Exam, course: Workspace
) -> None:
    drawn: list[int] = []

    def draw(_: Path, seed: int) -> Exam:
        drawn.append(seed)
        if len(drawn) < 3:
            raise BrokenCourse("two mistakes answer alike")
        return practice

    monkeypatch.setattr(build, "build_exam", draw)
    exam = random_exam(course.course)

    assert len(set(drawn)) == 3
    assert max(seed.bit_length() for seed in drawn) > 100, "seeds of cases, which submissions see, are tried against it"
    assert exam is practice


@pytest.mark.parametrize("out", [".", "out"])
def test_results_inside_the_class_are_refused(course: Workspace, folder: Path, class_exam: Path, out: str) -> None:
    done = attn_in(course, "grade", str(folder), "--out", str(folder / out), "--exam", str(class_exam))

    assert done.returncode == 2
    assert "where it would count as a student" in done.stderr


@pytest.mark.parametrize("shown", ["the class", "the results", "the exam", "the solutions"])
def test_what_submissions_could_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, course: Workspace, tmp_path: Path, class_exam: Path, shown: str
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    monkeypatch.setattr(levels, "OF_PYTHON", (*levels.OF_PYTHON, str(library)))
    places = {name: library if name == shown else tmp_path for name in ("the class", "the results", "the exam")}
    folder = make_class(course, places["the class"] / "class")
    out = places["the results"] / "results"
    exam = shutil.copy(class_exam, places["the exam"])
    monkeypatch.setattr(Workspace, "solutions", library if shown == "the solutions" else tmp_path)

    done = attn_in(course, "grade", str(folder), "--out", str(out), "--exam", str(exam))

    assert done.returncode == 1
    assert f"submissions could read {shown} in {library}" in one_line(done.stderr)
    assert not out.exists()


def test_one_part_after_the_other_keeps_the_marks_of_both(grade: Grade, folder: Path, tmp_path: Path) -> None:
    grade(folder, "--part", "1")
    done = grade(folder, "--part", "2")

    parts = [path.name.split(".")[1] for path in (tmp_path / "out" / "marks").iterdir()]
    assert sorted(parts) == ["part1_simplified"] * 3 + ["part2_trainable"] * 3
    assert "eve  part1_simplified could not be read" in done.stdout  # what is left to look at is that of all marks
    assert done.returncode == 3


def test_the_practice_exam_is_refused(grade: Grade, folder: Path, course: Workspace) -> None:
    done = grade(folder, exam=course.practice_exam)

    assert done.returncode == 2
    assert "students have its key" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere",), "nowhere"),
        ((".", "--part", "part9"), "part9"),
        ((".", "--jobs", "0"), "--jobs"),
        ((".", "--sandbox", "some"), "some"),
    ],
)
def test_a_usage_error_ends_with_2_and_a_message(grade: Grade, arguments: tuple[str, ...], says: str) -> None:
    done = grade(*arguments)

    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def long_run(course: Workspace, folder: Path, class_exam: Path, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A run over five submissions, of which three have marks when the test begins, and two go on for very long."""
    for student in ("yan", "zoe"):
        (folder / student).mkdir()
        (folder / student / MODULE).write_text(LOOP)
    options = ("--out", tmp_path / "out", "--exam", class_exam, "--jobs", "2", "--timeout", "3600")
    run = subprocess.Popen(
        list(map(str, (ATTN, "grade", folder, *options))),
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(
            signal.signal, signal.SIGINT, signal.SIG_DFL
        ),  # where tests run in the background, it is ignored
    )
    assert eventually(lambda: len(marks_in(tmp_path / "out")) == 3)
    yield run
    run.kill()
    run.communicate()


@pytest.mark.world
def test_ctrl_c_keeps_what_is_done_leaves_no_process_and_a_later_run_goes_on(
    long_run: "subprocess.Popen[str]", grade: Grade, folder: Path, tmp_path: Path
) -> None:
    family = descendants(long_run.pid)

    long_run.send_signal(signal.SIGINT)
    _, told = long_run.communicate(timeout=60)

    assert long_run.returncode == 130
    assert "Stopped: 3 of 5 have marks" in told
    assert "Traceback" not in told
    assert family
    assert eventually(lambda: not any(map(alive, family)))
    before = marks_in(tmp_path / "out")
    assert before.keys() == {"ada", "bob", "eve"}
    assert summary_in(tmp_path / "out").keys() == before.keys()
    for student in ("yan", "zoe"):
        shutil.copy(folder / "ada" / MODULE, folder / student)

    done = grade(folder, "--timeout", "3600")

    after = marks_in(tmp_path / "out")
    assert "2 of 5 submissions marked; 3 had marks before" in done.stdout
    assert {name: one["score"] for name, one in after.items() if name not in before} == {"yan": 25.0, "zoe": 25.0}
    assert {name: after[name] for name in before} == before


def refusing(monkeypatch: pytest.MonkeyPatch, student: str, error: Exception) -> None:
    """Let the grader fail on a student's submission."""
    honest = Grader.grade

    def fail(grader: Grader, submission: Submission) -> Marks:
        if submission.name == student:
            raise error
        return honest(grader, submission)

    monkeypatch.setattr(Grader, "grade", fail)


def test_where_no_process_can_be_set_up_nobody_is_marked_for_it_and_the_same_command_goes_on(
    grade: Grade, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as machine:
        refusing(machine, "bob", CannotRun("No process can be set up: no memory is left."))
        stopped = grade(folder, "--jobs", "1")
    assert "bob" not in marks_in(tmp_path / "out")
    again = grade(folder)

    assert stopped.returncode == 1
    assert "No process can be set up: no memory is left." in one_line(stopped.stderr)
    assert re.search(r"[01] of 3 have marks. The same command resumes from here.", one_line(stopped.stderr))
    assert again.returncode == 3
    assert marks_in(tmp_path / "out").keys() == {"ada", "bob", "eve"}


def test_one_student_alone_is_marked_and_the_list_still_holds_everybody(
    grade: Grade, folder: Path, tmp_path: Path
) -> None:
    grade(folder)
    before = marks_in(tmp_path / "out")
    for student in ("bob", "eve"):
        shutil.copy(folder / "ada" / MODULE, folder / student / MODULE)

    done = grade(folder, "--student", "BOB")

    after = marks_in(tmp_path / "out")
    assert done.returncode == 0
    assert "1 of 1 submissions marked" in done.stdout
    assert "not in this class folder" not in done.stdout
    assert {name: one["score"] for name, one in after.items()} == {"ada": 25.0, "bob": 25.0, "eve": 0.0}
    assert after["eve"] == before["eve"]
    scores = {name: row["score"] for name, row in summary_in(tmp_path / "out").items()}
    assert scores == {"ada": "25", "bob": "25", "eve": ""}


def test_late_work_is_told(grade: Grade, folder: Path, tmp_path: Path) -> None:
    late = "late, the platform does not tell when"
    row = f"bob,part1_simplified,,yes,part1.py,bob/{MODULE}"
    (folder / "handed_in.csv").write_text(f"student,part,handed_in_at,late,from_file,place\n{row}\n")

    done = grade(folder)

    assert f"Late: 1\nbob  part1_simplified: {late}\n" in done.stdout
    assert summary_in(tmp_path / "out")["bob"]["late"] == f"part1_simplified: {late}"

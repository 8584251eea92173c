"""What tests share: one warm process, the practice exam, a copy of the course to write in, and ways to mark a text."""

import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from course_copy import copy_course, copy_folders
from xdist.scheduler import LoadScopeScheduling

# Before torch is imported: on a busy machine its threads wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["ATTN_STANDBY"] = "0"  # nothing is left behind; tests of what is left ask for it
os.environ["ATTN_CAUSES"] = "none"  # seconds a wrong step; tests of the search ask for it
# Started in the background of a shell, a run has Ctrl-C ignored, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from command import Run, attn_in
from once import made_once
from small_class import exam_on
from tiny_course import TinyCourse, laid
from warm import PATIENCE, close_all, lend

from autograder.authoring.sync import sync
from autograder.check import check
from autograder.course.course import PACKAGES, read_course
from autograder.exam.build import build_exam
from autograder.exam.files import read_exam, write_exam
from autograder.exam.model import Exam
from autograder.grading.results import Marks, StepMarks
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent

read_course(ROOT).at_home()  # for `from course.attention.example_inputs import …`
OF_COURSES = (*PACKAGES, "solutions")

Attn = Callable[..., Run]

TOGETHER = ("tests/docs/site", "tests/docs/widgets")
"""Folders whose tests run in one process where pytest-xdist spreads them over several: they share a browser, and a server for the
site. Of all others, those of a file do."""

collect_ignore = [
    "course/pages/test_lectures.py",
    "course/pages/test_site_of_a_class.py",
    "docs",
    "engine/authoring",
    "engine/classroom",
    "engine/cli",
    "engine/render",
    "engine/site",
    "engine/sandbox",
    "engine/submission/test_archive.py",
    "engine/runner/test_run.py",
    "engine/runner/test_processes.py",
    "engine/submission/test_reading.py",
    "engine/runner/test_daemon.py",
    "engine/runner/test_submission_time.py",
    "engine/runner/test_candidate_runs.py",
    "engine/student",
    "engine/test_strangers_bytes.py",
    "test_fresh_clone.py",
    "workbench/test_train_at_a_terminal.py",
]
"""Tests that need Linux: its sandbox, its processes, its limits, its files, its pseudo-terminals, its browsers. On other systems pytest passes them over."""

if sys.platform == "linux":
    collect_ignore.clear()


FROM_THE_SYSTEM = {"browser", "server"}
"""Fixtures that start Chromium or PostgreSQL."""

OF_THE_SYSTEM = "left out, which need bubblewrap, chromium, libseccomp2 or postgresql"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make test SYSTEM=no` leave out tests, as other systems do."""
    default = "yes" if sys.platform == "linux" else "no"
    parser.addoption("--system", choices=["yes", "no"], default=default, help="run tests that need system packages")
    parser.addoption(
        "--record",
        action="store_true",
        help="write the marks of tests/course/cases.jsonl, the drawings of tests/engine/render and the figures of pages anew",
    )


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Let the last line count the tests that were left out."""
    left_out = report.skipped and OF_THE_SYSTEM in str(report.longrepr)
    return (OF_THE_SYSTEM, "s", "LEFT OUT") if left_out else None


def group_of(nodeid: str) -> str:
    """Return the name of the tests that a test belongs together with."""
    return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.partition("::")[0])


class Spread(LoadScopeScheduling):
    """Spreads tests over processes, and keeps together what belongs together."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Spread:
    """Tell pytest-xdist how to spread tests: in the order in which they were collected."""
    config.option.loadscopereorder = False
    return Spread(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was asked to be; let the groups with slow tests come first, so that no process is left alone at the end."""
    for item in items:
        if config.getoption("system") == "no" and needs_the_system(item):
            item.add_marker(pytest.mark.skip(reason=OF_THE_SYSTEM))
    slow = Counter(group_of(item.nodeid) for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[group_of(item.nodeid)])


def needs_the_system(item: pytest.Item) -> bool:
    """Tell whether a test needs a package of the system: by its marker, or by the fixture of a browser or a database."""
    return item.get_closest_marker("system") is not None or not FROM_THE_SYSTEM.isdisjoint(
        getattr(item, "fixturenames", ())
    )


def modules_of_the_course() -> dict[str, ModuleType]:
    """Return what has been imported of the course that a process works on."""
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] in OF_COURSES}


OWN = modules_of_the_course()


@pytest.fixture(autouse=True)
def leave_other_courses() -> Iterator[None]:
    """Whatever course a test works on, the next one finds this course's own modules as it has imported them."""
    yield
    found = modules_of_the_course()
    if found.get("course") is OWN["course"]:
        OWN.update(found)
        return
    for name in found:
        del sys.modules[name]
    sys.modules.update(OWN)


@pytest.fixture(scope="session")
def course() -> Workspace:
    """The checkout itself: to read, never to write."""
    return Workspace(ROOT)


@pytest.fixture(scope="session")
def convolution(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The course of another topic in tests/courses, with all that is made from it: to read, never to write."""

    def make(folder: Path) -> None:
        source = ROOT / "tests" / "courses" / "convolution"
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        sync(Workspace(folder))

    return Workspace(made_once(tmp_path_factory, "convolution", make))


@pytest.fixture(scope="session")
def convolution_exam(convolution: Workspace) -> Exam:
    """The practice exam of that course."""
    return read_exam(convolution.practice_exam)


@pytest.fixture(scope="session")
def practice(course: Workspace) -> Exam:
    return read_exam(course.practice_exam)


@pytest.fixture(scope="session")
def class_exam(practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an exam that students do not have, on the first part."""
    path = tmp_path_factory.mktemp("exam") / "class.exam"
    write_exam(exam_on(practice, practice.syllabus.parts[0].name), path)
    return path


@pytest.fixture(scope="session")
def another_exam(course: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Exam:
    """An exam on the whole course with other numbers than the practice exam, without known mistakes."""

    def make(folder: Path) -> None:
        write_exam(build_exam(course.course, seed=4, with_mistakes=False), folder / "another.exam")

    return read_exam(made_once(tmp_path_factory, "another_exam", make) / "another.exam")


@pytest.fixture(scope="session")
def runner() -> Runner:
    """A warm process, the same for all tests of a session."""
    return lend(ROOT)


def pytest_sessionfinish() -> None:
    """End the warm processes."""
    close_all()


@pytest.fixture
def fresh_copy(tmp_path: Path) -> Callable[[], Workspace]:
    """Make a copy of the course with fresh stubs, another one at each call."""

    def make() -> Workspace:
        return copy_course(ROOT, tmp_path / f"course{len(list(tmp_path.iterdir()))}")

    return make


@pytest.fixture
def copy(fresh_copy: Callable[[], Workspace]) -> Workspace:
    """A copy of the course with fresh stubs, for tests that write."""
    return fresh_copy()


@pytest.fixture(scope="session")
def tiny_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two steps, with all that is made from it: to copy, never to write."""
    return made_once(tmp_path_factory, "tiny", lambda folder: TinyCourse(folder).make() and None)


@pytest.fixture
def tiny(tiny_template: Path, tmp_path: Path) -> TinyCourse:
    """A copy of that course, to write in."""
    return laid(tiny_template, tmp_path)


@pytest.fixture(scope="session")
def new_course(course: Workspace, practice: Exam, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Workspace]:
    """Make a copy of the course with fresh stubs, or solved; `part1_simplified="..."` is written below that part."""

    def make(*, solved: bool = False, **added: str) -> Workspace:
        workspace = Workspace(tmp_path_factory.mktemp("course"))
        copy_folders(course.root, workspace.root)
        workspace.exercises.mkdir()
        for part in practice.syllabus.parts:
            text = (course.solutions / f"{part.name}.py").read_text(encoding="utf-8") if solved else part.stub
            below = f"\n\n{added[part.name]}" if part.name in added else ""
            workspace.exercise(part.name).write_text(text + below, encoding="utf-8")
        return workspace

    return make


@pytest.fixture
def attn(copy: Workspace) -> Attn:
    """Run the command in the copy, in this process and without a terminal: `attn("check", "1")`."""

    def run(*arguments: str, **environment: str) -> Run:
        return attn_in(copy, *arguments, **{"COLUMNS": "80", **environment})

    return run


@pytest.fixture
def mark_text(runner: Runner, practice: Exam) -> Callable[..., Marks]:
    """Mark a module's text as one part; by default all its steps."""

    def run(part: str, text: str, *steps: str, timeout: float = PATIENCE, exam: Exam = practice) -> Marks:
        wanted = [step for step in exam.syllabus.part(part).steps if not steps or step.name in steps]
        submission = Submission("text", {part: Source.module(f"{part}.py", text)})
        return check(exam, submission, wanted, runner, timeout)

    return run


@pytest.fixture
def mark_step(mark_text: Callable[..., Marks]) -> Callable[..., StepMarks]:
    """Mark a module's text for one step of a part."""

    def run(part: str, step: str, text: str, timeout: float = PATIENCE) -> StepMarks:
        marks = mark_text(part, text, step, timeout=timeout)
        assert marks.parts[0].error is None, marks.parts[0].error
        return marks.parts[0].steps[0]

    return run

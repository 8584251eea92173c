"""What hostile submissions get, and what they do to others: classes of them are marked at both levels of the sandbox.

At the level `full` these are all attacks, at the level `kernel`, every night, those on the sandbox itself. Attacks that never
end are a class of their own, under a short time-out; all others are given so much time that a busy machine spoils nobody's marks.
Of those that lie or forge, the causes of wrong steps are searched for, too: what an attack does then costs no more than before.

A file in `hostile/` is put behind the honest solution of its part, and handed in with an honest part 1 and part 3. Its docstring
says what it tries and what it gets: a verdict by step, or by part where the part cannot be loaded, and some words that the student
is told. All steps that it does not name pass. An attack on the sandbox raises `Breach` where it succeeds, and passes where it
does not.
"""

import ast
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import descendants
import pytest
from canaries import Canaries
from command import ATTN
from hostile_entries import ENTRIES, OTHER, PART, Entry

from autograder.exam.files import write_exam
from autograder.exam.model import Exam
from autograder.grading.grade import MOST_CHARACTERS
from autograder.sandbox import FULL, KERNEL
from autograder.sandbox.levels import missing_of
from autograder.submission.model import shown
from autograder.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.system]

HOSTILE = Path(__file__).parent / "hostile"
PARTS, THIRD = (PART, OTHER), "part5_inference"
"""What everybody hands in; and what, besides, honest ones do, and attacks on it."""

JOBS = 2
ENDING, ENDLESS, SEARCHED = "ending", "endless", "searched"
BOUNDS = {ENDING: (60, "none"), ENDLESS: (1, "none"), SEARCHED: (60, "quick")}
"""Of the three classes, seconds a step and how long causes are searched for. Honest steps take a hundredth of a second."""
RUN_AGAIN = ("lie", "wire_when")
"""What the names of attacks begin with that run again, traced and edited."""
PATIENCE = 400
HONEST = "honest"
ONE_HONEST_AFTER = 12

EXPECTED = re.compile(r"^(part\w+(?:\.\w+)?): (\w+)$", re.MULTILINE)
MESSAGE = re.compile(r"^message: (.*)$", re.MULTILINE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

ABSENT = "absent"

Json = dict[str, Any]
Texts = Mapping[str, str]


@dataclass(frozen=True)
class Graded:
    """What became of the classes. marks: by student. left: processes that were left behind. disturbed: canaries, by kind."""

    marks: Mapping[str, Json]
    files: tuple[Path, ...]
    exit_codes: tuple[int, ...]
    screen: str
    left: tuple[str, ...]
    disturbed: Mapping[str, list[str]]


def read_attack(path: Path) -> Entry:
    """Return the attack of a hostile file, with what its docstring says that it gets."""
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text)) or ""
    message = MESSAGE.search(said)
    expected = dict(EXPECTED.findall(said))

    def make(folder: Path, texts: Texts) -> None:
        part = next(iter(expected)).partition(".")[0]
        folder.mkdir()
        for name, honest in texts.items():
            (folder / name).write_text(honest + ("\n\n" + text if name == f"{part}.py" else ""), encoding="utf-8")

    return Entry(make, expected, message[1] if message else "")


CODE = {path.stem: read_attack(path) for path in sorted(HOSTILE.glob("*.py")) if path.stem != "targets"}
ATTACKS: Mapping[str, Entry] = CODE | ENTRIES

ON_THE_SANDBOX = ("end", "memory", "network", "process", "read", "search", "threads", "write")
"""What the names of attacks begin with whose outcome depends on namespaces, system calls, signals or limits."""
BY_SIGNALS = ("time_alarm", "time_ignored_signals", "time_left_behind", "time_timer")

AT: Mapping[str, tuple[str, ...]] = {
    FULL: tuple(ATTACKS),
    KERNEL: tuple(name for name in ATTACKS if name.startswith(ON_THE_SANDBOX) or name in BY_SIGNALS),
}
"""The attacks at each level: to a grader that reads files, answers and texts, it is all one."""


def student_of(name: str) -> str:
    return shown(ATTACKS[name].name or f"{list(ATTACKS).index(name):03}_{name}")


def parts_of(attack: Entry) -> tuple[str, ...]:
    return (*PARTS, THIRD) if any(path.startswith(THIRD) for path in attack.expected) else PARTS


def is_honest(student: str) -> bool:
    return student.endswith(HONEST)


def class_of(name: str) -> str:
    """Return the class of an attack."""
    if "timed_out" in ATTACKS[name].expected.values():
        return ENDLESS
    return SEARCHED if name.startswith(RUN_AGAIN) else ENDING


def classes_at(level: str) -> dict[str, list[str]]:
    """Return the attacks of each class that has some."""
    found = {kind: [name for name in AT[level] if class_of(name) == kind] for kind in BOUNDS}
    return {kind: names for kind, names in found.items() if names}


def fill_class(folder: Path, names: list[str], texts: Texts, targets: str) -> None:
    """Make a class: its attacks, with an honest submission before each few of them."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    for place, name in enumerate(names):
        number, attack = list(ATTACKS).index(name), ATTACKS[name]
        if place % ONE_HONEST_AFTER == 0:
            honest = folder / f"{number:03}_{HONEST}"
            honest.mkdir()
            for part, text in texts.items():
                (honest / part).write_text(text, encoding="utf-8")
                (honest / part).chmod(0o666)
        path = folder / (attack.name or f"{number:03}_{name}")
        attack.make(path, {name: texts[name] for name in map("{}.py".format, parts_of(attack))})
        if name in CODE:
            (path / "targets.py").write_text(targets, encoding="utf-8")


def state_of(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return size, rights and time of everything in a folder."""
    found = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        found[ascii(path)] = (status.st_size, status.st_mode, status.st_mtime_ns)
    return found


@pytest.fixture(params=[FULL, pytest.param(KERNEL, marks=pytest.mark.world)])
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def graded(level: str, graded_at: Callable[[str], Graded]) -> Graded:
    return graded_at(level)


@pytest.fixture(scope="module")
def graded_at(course: Workspace, another_exam: Exam) -> Iterator[Callable[[str], Graded]]:
    """Mark the classes of a level, once each, with numbers of their own: an honest layer that draws some must pass."""
    with ExitStack() as stack:
        yield cache(lambda level: stack.enter_context(_graded(level, course, another_exam)))


@contextmanager
def _graded(level: str, course: Workspace, exam: Exam) -> Iterator[Graded]:
    """Mark the classes of a level in folders that every user may read and write: the sandbox alone keeps others out."""
    root = Path(tempfile.mkdtemp(prefix="attn-hostile-"))
    root.chmod(0o755)
    write_exam(exam, root / "class.exam")
    canaries = Canaries(root / "canaries")
    try:
        yield _grade(level, course, root, canaries)
    finally:
        canaries.close()
        shutil.rmtree(root)


def _grade(level: str, course: Workspace, root: Path, canaries: Canaries) -> Graded:
    classes = classes_at(level)
    submissions, outs, secret = root / "class", [root / f"out_{kind}" for kind in classes], secrets.token_hex(16)
    texts = {f"{part}.py": (course.solutions / f"{part}.py").read_text(encoding="utf-8") for part in (*PARTS, THIRD)}
    planted = [canaries.file, *(folder / ".canary" for folder in (*(submissions / kind for kind in classes), *outs))]
    own = [
        course.root / "course" / PART / "mistakes.py",
        course.root / "course" / PART / "alternatives.py",
        course.solutions / f"{PART}.py",
    ]
    of_others = [root / "class.exam", course.practice_exam, submissions / ENDING / "000_honest" / f"{PART}.py"]
    folders = (canaries.folder, submissions, *(path.parent for path in planted[1:]), course.solutions, course.root)
    places = canaries.places | {
        "secret": secret,
        "write": [str(path) for path in planted],
        "read": [str(path) for path in (*planted, *own, *of_others)],
        "list": [str(path) for path in folders],
    }
    targets = f"PLACES = {places!r}\n\n" + (HOSTILE / "targets.py").read_text(encoding="utf-8")
    for out in outs:
        out.mkdir()
        out.chmod(0o777)
    for kind, names in classes.items():
        fill_class(submissions / kind, names, texts, targets)
    for path in planted[1:]:
        canaries.plant(path)
    before = state_of(submissions)
    screens = [_grade_class(level, course, root, kind, secret) for kind in classes]
    reports = [json.loads((root / f"{kind}.json").read_text()) for kind in classes]
    after = state_of(submissions)
    disturbed = {
        "files": [*canaries.disturbed_files(), *(what for path in planted[1:] for what in canaries.disturbed(path))],
        "class": [path for path in {**before, **after} if before.get(path) != after.get(path)],
        "sockets": canaries.disturbed_sockets(),
        "processes": canaries.disturbed_processes(),
    }
    files = tuple(path for out in outs for path in sorted((out / "marks").glob("*.json")))
    marks = {(found := json.loads(path.read_bytes()))["submission"]: found for path in files}
    left = tuple(one for report in reports for one in report["left"])
    return Graded(marks, files, tuple(one["exit_code"] for one in reports), "".join(screens), left, disturbed)


def _grade_class(level: str, course: Workspace, root: Path, kind: str, secret: str) -> str:
    """Mark one of the classes; return what was written to the screen. What it leaves behind is in a report."""
    report = root / f"{kind}.json"
    options = ("--out", root / f"out_{kind}", "--exam", root / "class.exam", "--sandbox", level, "--jobs", JOBS)
    parts = [word for part in (*PARTS, THIRD) for word in ("--part", part)]
    timeout, causes = BOUNDS[kind]
    bounds = ("--timeout", timeout, "--causes", causes)
    words = (ATTN, "grade", root / "class" / kind, *options, *parts, *bounds)
    command = [str(word) for word in (sys.executable, descendants.__file__, report, *words)]
    screen = _run(command, course.root, {"ATTN_SECRET": secret})
    assert report.exists(), screen
    return screen


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command and return what it wrote. One that takes too long is ended, with all that it has started."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        screen, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        screen, _ = process.communicate()
    return screen.decode(errors="backslashreplace")


def steps_of(marks: Json) -> dict[str, Json]:
    return {f"{part['part']}.{step['step']}": step for part in marks["parts"] for step in part["steps"]}


def told(marks: Json) -> str:
    """Return all that the student is told about what went wrong."""
    checks = [check["message"] for step in steps_of(marks).values() for check in step["checks"] if not check["passed"]]
    return "\n".join([part["error"] or "" for part in marks["parts"]] + checks)


def test_every_layer_of_the_sandbox_is_there(level: str) -> None:
    assert missing_of(level) == ()


@pytest.mark.parametrize(
    ("level", "name"),
    [
        pytest.param(level, name, marks=pytest.mark.world if level == KERNEL else ())
        for level in AT
        for name in AT[level]
    ],
)
def test_an_attack_costs_what_it_spoils_and_nothing_else(graded: Graded, level: str, practice: Exam, name: str) -> None:
    marks, attack = graded.marks[student_of(name)], ATTACKS[name]
    found = steps_of(marks)
    wanted = [step.path for part in parts_of(attack) for step in practice.syllabus.part(part).steps]
    expected = {path: attack.expected.get(path, attack.expected.get(path.split(".")[0], "passed")) for path in wanted}

    assert {path: found[path]["verdict"] if path in found else ABSENT for path in wanted} == expected, told(marks)
    assert attack.message in told(marks)
    assert {part["part"] for part in marks["parts"] if part["error"] and part["part"] in parts_of(attack)} == {
        part for part, verdict in attack.expected.items() if part in PARTS and verdict not in (ABSENT, "passed")
    }
    for step in found.values():
        assert (step["score"] == step["max_score"]) == (step["verdict"] == "passed")


def test_honest_neighbours_have_full_marks(graded: Graded, level: str) -> None:
    honest = {student: marks for student, marks in graded.marks.items() if is_honest(student)}

    assert len(honest) == sum(len(range(0, len(names), ONE_HONEST_AFTER)) for names in classes_at(level).values())
    assert {student: marks["score"] for student, marks in honest.items()} == {
        student: marks["max_score"] for student, marks in honest.items()
    }
    assert {len(steps_of(marks)) for marks in honest.values()} == {len(steps_of(graded.marks["000_honest"]))}


def test_everybody_has_marks_at_this_level(graded: Graded, level: str) -> None:
    assert {student for student in graded.marks if not is_honest(student)} == set(map(student_of, AT[level]))
    assert {marks["sandbox"] for marks in graded.marks.values()} == {level}
    assert set(graded.exit_codes) == {3}, graded.screen


def test_texts_in_the_marks_are_bounded_and_harmless(graded: Graded) -> None:
    for path in graded.files:
        assert path.stat().st_size <= 1_000_000
        for text in texts_in(json.loads(path.read_bytes())):
            assert len(text) <= MOST_CHARACTERS
            assert not CONTROL.search(text), (path.name, text)


def texts_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        yield from (text for value in data.values() for text in texts_in(value))
    elif isinstance(data, list):
        yield from (text for value in data for text in texts_in(value))
    elif isinstance(data, str):
        yield data


def test_what_the_instructor_sees_is_harmless(graded: Graded) -> None:
    assert "Traceback" not in graded.screen
    assert not CONTROL.search(graded.screen)


@pytest.mark.parametrize("kind", ["files", "class", "sockets", "processes"])
def test_canaries_are_untouched(graded: Graded, kind: str) -> None:
    assert graded.disturbed[kind] == []


def test_no_process_is_left_behind(graded: Graded) -> None:
    assert graded.left == ()

"""`attn` alone, `list`, `show`, `hint` and `reset`."""

import re
import shutil
import webbrowser
from collections.abc import Callable
from importlib.metadata import version
from subprocess import CompletedProcess
from threading import Thread
from typing import NoReturn
from urllib.request import urlopen

import pytest
from command import attn_at_terminal, attn_in
from screen_text import SEQUENCE, one_line

from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.student import editing
from autograder.student.lecture import SiteServer
from autograder.student.progress import StepProgress, load_progress
from autograder.workspace import Workspace

Run = CompletedProcess[str]
Attn = Callable[..., Run]
NewCourse = Callable[..., Workspace]

FIRST = "part1_simplified"
SOFTMAX = f"{FIRST}.softmax"
LECTURE = "docs/lectures/without_weights.md"


def note(workspace: Workspace, *steps: SyllabusStep, verdict: str = "passed", day: int = 21) -> None:
    """Write into the progress that steps were checked with a verdict."""
    progress = load_progress(workspace)
    for step in steps:
        score = step.points if verdict == "passed" else 0.0
        progress.steps[step.path] = StepProgress(verdict, score, f"2026-11-{day}T00:00:00+00:00")
    progress.save(workspace)


@pytest.fixture
def softmax(practice: Exam) -> SyllabusStep:
    return practice.syllabus.part(FIRST).step("softmax")


@pytest.fixture(scope="module")
def begun(new_course: NewCourse, practice: Exam) -> Workspace:
    """A course in which the third step was wrong, and then the first passed."""
    workspace = new_course()
    steps = practice.syllabus.part(FIRST).steps
    note(workspace, steps[0])
    note(workspace, steps[2], verdict="wrong_values", day=20)
    return workspace


# attn


def test_the_overview_counts_points_and_steps_of_each_part(begun: Workspace) -> None:
    overview = one_line(attn_in(begun).stdout)
    assert "2 / 25 1 of 5 steps" in overview
    assert "0 / 25 0 of 13 steps" in overview


@pytest.mark.parametrize("columns", [50, 80])
def test_the_overview_fits_the_terminal(begun: Workspace, columns: int) -> None:
    screen = SEQUENCE.sub("", attn_at_terminal(begun, COLUMNS=str(columns)).stdout)
    parts = [line.rstrip() for line in screen.splitlines()[:6]]
    assert [line[0] for line in parts] == list("123456")
    assert all(line.endswith("steps") for line in parts)


def test_a_broken_syllabus_is_told(copy: Workspace, attn: Attn) -> None:
    copy.syllabus.write_text("{}")
    found = attn()
    assert found.returncode == 2
    assert "syllabus.json cannot be read" in found.stderr
    assert "Traceback" not in found.stderr


# attn list


def test_the_list_shows_every_step_with_its_points(begun: Workspace, practice: Exam) -> None:
    lines = [line.split() for line in attn_in(begun, "list").stdout.splitlines() if line.strip()]
    shown = [words[:3] for words in lines if words[0].isdecimal()]
    assert shown == [[str(step.number), step.name, f"{step.points:g}"] for step in practice.syllabus.steps]


# attn show


def test_the_card_shows_the_stub_as_it_stands_in_the_file(begun: Workspace, practice: Exam) -> None:
    stub = practice.syllabus.part(FIRST).stub
    begin, end = stub.index("def softmax"), stub.index("\n\n\ndef context_vector")
    assert stub[begin:end] in attn_in(begun, "show", "1.softmax").stdout


# The next step


@pytest.mark.parametrize("verb", ["show", "trace"])
def test_without_a_step_the_next_one_is_meant_and_named(begun: Workspace, verb: str) -> None:
    found = attn_in(begun, verb)
    assert re.match(rf"{FIRST}\.attention_scores\b", found.stdout)


# attn hint


def hints_in(screen: str) -> int:
    return len(re.findall(r"^\d+\. ", screen, re.MULTILINE))


def test_each_call_reveals_one_more_hint(copy: Workspace, attn: Attn, softmax: SyllabusStep) -> None:
    shown = [hints_in(attn("hint", SOFTMAX).stdout) for _ in softmax.hints]
    assert shown == list(range(1, len(softmax.hints) + 1))


def test_the_hint_for_what_was_wrong_comes_first(copy: Workspace, attn: Attn, softmax: SyllabusStep) -> None:
    progress = load_progress(copy)
    progress.steps[SOFTMAX] = StepProgress("wrong_values", 1.0, "2026-11-21T00:00:00+00:00", hint="Try 10 000.")
    progress.save(copy)

    assert one_line(attn("hint", SOFTMAX).stdout) == f"1. Try 10 000. {len(softmax.hints)} more: call it again."
    assert one_line(attn("hint", SOFTMAX).stdout).startswith(f"1. Try 10 000. 2. {softmax.hints[0]}")


# attn show --lecture


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser has been given; none is started."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(addresses.append(address) or True))
    return addresses


def count_otherwise(workspace: Workspace) -> None:
    path = workspace.root / "course.toml"
    counted = '[steps]\n"part1_simplified.softmax" = { factor = 2 }\n"part1_simplified.dot_product" = { bonus = true }'
    due = "[due]\npart2_trainable = 2026-10-01T23:59:00+02:00"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{counted}\n{due}\n", encoding="utf-8")


def test_students_see_how_a_step_counts_and_when_a_part_is_due_in_the_zone_of_the_course(
    copy: Workspace, attn: Attn
) -> None:
    count_otherwise(copy)
    listed = attn("list").stdout.splitlines()
    time = "2026-10-01 23:59 UTC+02:00"

    assert any("softmax" in line and line.endswith("counts 2 times") for line in listed)
    assert any("dot_product" in line and line.endswith("a bonus") for line in listed)
    assert any(line.endswith(f", due {time}") for line in listed)
    assert "points, counts 2 times, " in attn("show", "softmax").stdout
    assert f"steps  due {time}\n" in attn().stdout


def publish(workspace: Workspace) -> None:
    path = workspace.root / "course.toml"
    path.write_text('site = "https://example.org/course/"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, opened: list[str]) -> list[str]:
    """What a reader got of the address that was opened, who then pressed Ctrl-C."""
    got: list[str] = []

    def until_read(server: SiteServer) -> NoReturn:
        reader = Thread(target=lambda: got.append(urlopen(opened[-1], timeout=60).read().decode()))
        reader.start()
        server.handle_request()
        reader.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(SiteServer, "serve_forever", until_read)
    return got


def test_the_built_lecture_is_served_at_the_section_of_the_step_until_ctrl_c(
    copy: Workspace, attn: Attn, opened: list[str], read: list[str]
) -> None:
    publish(copy)
    built = copy.root / "site" / "lectures" / "without_weights" / "index.html"
    built.parent.mkdir(parents=True)
    built.write_text("The lecture", encoding="utf-8")
    found = attn("show", "--lecture", SOFTMAX)
    assert (found.returncode, read) == (0, ["The lecture"])
    assert re.sub(r":\d+/", "/", opened[0]) == "http://127.0.0.1/lectures/without_weights/#softmax"
    assert "until you press Ctrl-C" in found.stdout


def test_without_a_built_site_the_published_lecture_opens(copy: Workspace, attn: Attn, opened: list[str]) -> None:
    publish(copy)
    attn("show", "--lecture", "SelfAttentionV1")
    assert opened == ["https://example.org/course/lectures/the_class_twice/#selfattentionv1"]


def test_without_any_site_the_section_is_named_as_text(copy: Workspace, attn: Attn, opened: list[str]) -> None:
    found = attn("show", "--lecture", SOFTMAX).stdout
    page = (copy.root / LECTURE).read_text(encoding="utf-8").split("\n")
    line = next(number for number, text in enumerate(page, start=1) if "{#softmax}" in text)
    assert f"{LECTURE}:{line}" in found
    assert opened == []


# attn hint --solution


def test_a_solution_is_refused_until_the_step_has_passed(begun: Workspace) -> None:
    found = attn_in(begun, "hint", "--solution", SOFTMAX)
    assert (found.returncode, found.stdout) == (1, "")
    assert f"{SOFTMAX} has not passed yet" in found.stderr


@pytest.mark.parametrize("anyway", [[], ["--anyway"]], ids=["passed", "anyway"])
def test_a_solution_that_is_not_shipped_is_refused(
    copy: Workspace, attn: Attn, softmax: SyllabusStep, anyway: list[str]
) -> None:
    note(copy, softmax)
    shutil.rmtree(copy.solutions)
    found = attn("hint", "--solution", SOFTMAX, *anyway)
    assert (found.returncode, found.stdout) == (2, "")
    assert "this needs solutions/, which this copy of the course does not include" in found.stderr


# The command itself


def test_below_the_root_the_course_is_found(begun: Workspace) -> None:
    found = attn_in(Workspace(begun.exercises), "hint", "--help")
    assert found.returncode == 0
    assert f"Next: {FIRST}.attention_scores in {FIRST}.py:" in one_line(attn_in(Workspace(begun.exercises)).stdout)


def test_what_nobody_foresaw_is_told_without_a_traceback(copy: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "stub_of_step", None)
    found = attn_in(copy, "reset", "1.1", ATTN_TRACEBACK=None)
    assert (found.returncode, found.stdout) == (2, "")
    assert "attn itself has failed; this is not your mistake: TypeError" in found.stderr
    assert "Traceback" not in found.stderr


def test_the_help_has_the_verbs_of_students_first(begun: Workspace) -> None:
    shown = attn_in(begun, "-h").stdout
    learning, teaching = shown.split("To teach and to write a course:")

    assert "\n  check " in learning
    assert "\n  train " in learning
    assert "\n  grade " in teaching


def test_the_version_is_that_of_the_installed_grader(begun: Workspace) -> None:
    assert attn_in(begun, "--version").stdout == f"attn, version {version('attention-by-writing-it')}\n"

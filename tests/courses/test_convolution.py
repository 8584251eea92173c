"""A course of another topic, in a folder of its own beside the grader: every verb works on it, and nothing speaks of attention."""

import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from built_site import Site, build_site
from command import Run, attn_in, attn_process
from window import Window

from autograder.exam.files import read_exam
from autograder.student import machine_checks
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

FOREIGN = re.compile(r"attention|\bheads?\b|\bsentences?\b|\btokens?\b|W_query|part1_simplified", re.IGNORECASE)
"""What is said of attention alone."""

WRONG = {
    "part1_convolution": ("(covered * kernel).sum()", "(covered * kernel).mean()"),
    "part2_network": ("x.clamp(min=0)", "x.abs()"),
}


@pytest.fixture
def course(convolution: Workspace, tmp_path: Path) -> Workspace:
    """A copy of the course, to write in."""
    return Workspace(shutil.copytree(convolution.root, tmp_path / "course"))


@pytest.fixture
def wrong(course: Workspace) -> Workspace:
    """The course, solved but for one mistake a part."""
    for part, (right, mistaken) in WRONG.items():
        text = (course.solutions / f"{part}.py").read_text(encoding="utf-8")
        assert text.count(right) >= 1
        course.exercise(part).write_text(text.replace(right, mistaken), encoding="utf-8")
    return course


def said(run: Run) -> str:
    """Return all that a command has said, which is not about attention."""
    return own(run.stdout + run.stderr)


def own(text: str) -> str:
    """Return a text, in which nothing is about attention."""
    assert not FOREIGN.search(text), text
    return text


def test_the_help_has_no_verbs_of_another_course(course: Workspace) -> None:
    shown = said(attn_in(course, "--help"))

    assert "check" in shown
    assert "train" not in shown


def test_the_solutions_have_all_points(course: Workspace) -> None:
    assert "40 of 40 points" in said(attn_in(course, "check", "--from", "solutions"))


def test_a_known_mistake_is_named(wrong: Workspace) -> None:
    checked = said(attn_in(wrong, "check"))

    assert "You take the mean of the products." in checked
    assert attn_in(wrong, "check").returncode == 1


@pytest.mark.parametrize(
    "verb",
    [
        ("list",),
        ("show", "convolve"),
        ("hint", "Conv2d"),
        ("trace", "convolve"),
        ("hint", "Classifier", "--solution", "--anyway"),
        ("reset", "part2_network.relu"),
    ],
)
def test_what_is_said_of_a_step_is_about_convolutions(wrong: Workspace, verb: tuple[str, ...]) -> None:
    assert said(attn_in(wrong, *verb))


def test_doctor_finds_the_course(course: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "_try_torch", lambda: ("2.13.0 None", ""))

    assert str(course.root) in said(attn_in(course, "doctor"))


@pytest.fixture
def window(wrong: Workspace) -> Iterator[Window]:
    opened = Window(wrong, read_exam(wrong.practice_exam))
    yield opened
    opened.close()


def test_the_watch_names_a_known_mistake_and_follows_what_is_saved(wrong: Workspace, window: Window) -> None:
    window.expect("You take the mean of the products.")
    window.save("part1_convolution", (wrong.solutions / "part1_convolution.py").read_text(encoding="utf-8"))
    window.expect("✓ cross_correlate")
    window.press("l")
    window.expect("part2_network")

    own(window.screen)


@pytest.mark.world
def test_a_release_is_a_course_that_marks_itself(course: Workspace, tmp_path: Path) -> None:
    released = tmp_path / "released"
    assert attn_in(course, "release", "--out", str(released)).returncode == 0

    given = {path.relative_to(released).as_posix() for path in released.rglob("*") if path.is_file()}
    own = {path for path in given if not path.startswith("autograder/")}
    assert not [path for path in given if re.search("mistakes|alternatives|equivalent|solutions", path)]
    assert {"course.toml", "course/part1_convolution/steps.py", "course/convolution/pictures.py"} <= own
    assert "0 of 40 points" in said(attn_in(Workspace(released), "check"))


@pytest.mark.world
def test_the_course_is_sound(course: Workspace) -> None:
    assert "The course is sound." in said(attn_in(course, "verify"))


@pytest.fixture(scope="module")
def results(convolution: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class, marked by a process, whose sandbox shows this course in place of the one that the tests' warm processes know."""
    course = Workspace(shutil.copytree(convolution.root, tmp_path_factory.mktemp("grading") / "course"))
    submissions = course.root.parent / "class"
    for student, folder in {"ada": "solutions", "eve": "exercises"}.items():
        shutil.copytree(course.root / folder, submissions / student, ignore=shutil.ignore_patterns("ruff.toml"))
    (submissions / "mallory").mkdir()
    (submissions / "mallory" / "part1_convolution.py").write_text(SPY.format(root=course.root), encoding="utf-8")
    run = attn_process(course, "grade", str(submissions), "--out", str(course.root.parent / "results"))
    assert run.returncode == 3, said(run)  # a flag of mallory's code
    return course.root.parent / "results"


@pytest.mark.world
@pytest.mark.system
def test_a_class_is_marked_in_the_full_sandbox_which_hides_what_a_release_lacks(results: Path) -> None:
    rows = (results / "summary.csv").read_text(encoding="utf-8").splitlines()

    assert ",40" in next(row for row in rows if row.startswith("ada,"))
    spied = next((results / "marks").glob("mallory*")).read_text(encoding="utf-8")
    assert "hidden hidden hidden hidden" in spied


@pytest.mark.world
@pytest.mark.system
def test_a_report_is_written_of_the_class(course: Workspace, results: Path, tmp_path: Path) -> None:
    said(attn_in(course, "report", str(results), "--out", str(tmp_path / "report.html")))

    assert "cross_correlate" in own(shown_in(tmp_path / "report.html"))


@pytest.fixture(scope="module")
def site(convolution: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The course's site, built. It is not served."""
    root = shutil.copytree(convolution.root, tmp_path_factory.mktemp("site") / "course")
    address = "https://convolution.example/"
    build_site(root / "site", address, root)
    return Site(root / "site", address)


@pytest.mark.world
def test_the_lecture_is_a_page_that_leads_to_the_steps(site: Site) -> None:
    page = own(shown_in(site.file("convolution/")))

    assert "Now in your file: step 1 of 5, part 1, cross_correlate" in page
    assert "Common mistakes" in page


@pytest.mark.world
def test_each_step_has_a_card_on_the_site(course: Workspace, site: Site) -> None:
    page = own(shown_in(site.file("reference/steps/")))

    parts = enumerate(read_exam(course.practice_exam).syllabus.parts, start=1)
    headings = [f"{number}.{step.number} {step.name}" for number, part in parts for step in part.steps]
    assert len(headings) > 5
    assert [heading for heading in headings if heading not in page] == []


def shown_in(page: Path) -> str:
    """Return the text of a page, as a reader sees it."""
    content = page.read_text(encoding="utf-8")
    return html.unescape(re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", "", content, flags=re.DOTALL))


SPY = """
from pathlib import Path

ROOT = Path("{root}")
SECRETS = ("course/part1_convolution/mistakes.py", "course/part1_convolution/alternatives.py",
           "solutions/part1_convolution.py", "exams/practice.exam")


def seen(path):
    try:
        (ROOT / path).read_bytes()
    except OSError:
        return "hidden"
    return "seen"


def cross_correlate(image, kernel):
    raise ValueError(" ".join(map(seen, SECRETS)))
"""

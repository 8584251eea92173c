"""`attn check`: what it marks, what it says of wrong code, and how it ends."""

import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import attn_at_terminal, attn_forked, attn_in
from screen_text import colours_in, one_line, said_of, steps_in
from terminal import Terminal

from autograder.exam.model import Exam
from autograder.workspace import Workspace

Run = CompletedProcess[str]
NewCourse = Callable[..., Workspace]
Attn = Callable[..., Run]

FIRST = "part1_simplified"
SECOND = "part2_trainable"

DOT_PRODUCT = "def dot_product(a, b):\n    return (a * b).sum()\n"

WRONG_1 = """
def dot_product(a, b):
    return (a * b).sum()


def helper(scores):
    return scores["weights"]


def attention_scores(query, inputs):
    return helper({"scores": inputs})


def softmax(scores):
    return torch.softmax(scores, dim=-1)


def context_vector(weights, inputs):
    return inputs
"""

WRONG_2 = """
def scale_scores(scores, d_k):
    print("spread", d_k)
    return scores / d_k


def attention_weights(scaled_scores):
    return torch.softmax(scaled_scores, dim=0)


def context_vectors(weights, values):
    return (weights @ values).double()
"""


@pytest.fixture(scope="module")
def fresh(new_course: NewCourse) -> Run:
    return attn_in(new_course(), "check")


@pytest.fixture(scope="module")
def finished(new_course: NewCourse) -> Run:
    return attn_in(new_course(solved=True), "check")


@pytest.fixture(scope="module")
def begun(new_course: NewCourse) -> Workspace:
    """A course of which the very first step is solved."""
    return new_course(part1_simplified=DOT_PRODUCT)


@pytest.fixture(scope="module")
def wrong_course(new_course: NewCourse) -> Workspace:
    return new_course(part1_simplified=WRONG_1, part2_trainable=WRONG_2)


@pytest.fixture(scope="module")
def wrong(wrong_course: Workspace) -> Run:
    return attn_in(wrong_course, "check", "1", "2")


# Exit codes and what is marked


def test_a_finished_course_ends_with_0_and_all_points(finished: Run, practice: Exam) -> None:
    most = sum(step.points for step in practice.syllabus.steps)
    assert finished.returncode == 0
    assert f"{most:g} of {most:g} points" in finished.stdout


def test_without_a_name_a_fresh_course_is_shown_its_points_and_the_next_step_with_file_and_line(
    fresh: Run, practice: Exam
) -> None:
    assert (fresh.returncode, len(fresh.stdout.splitlines())) == (1, 2)
    stub = practice.syllabus.part(FIRST).stub.splitlines()
    todo = next(number for number, line in enumerate(stub, start=1) if "# TODO 1:" in line)
    assert f"Next: {FIRST}.dot_product in exercises/{FIRST}.py:{todo}" in one_line(fresh.stdout)


def test_named_parts_are_shown_step_by_step(wrong: Run, practice: Exam) -> None:
    parts = [practice.syllabus.part(part) for part in (FIRST, SECOND)]
    assert steps_in(wrong.stdout) == [step.name for part in parts for step in part.steps]


def test_without_a_name_the_parts_that_are_begun_have_a_line_each_and_the_first_wrong_step_its_report(
    wrong_course: Workspace,
) -> None:
    found = attn_in(wrong_course, "check")
    lines = found.stdout.splitlines()
    assert [one_line(line).partition(",")[0] for line in lines[:3]] == [
        f"{FIRST} Attention with nothing to learn 1 of 5 passed",
        f"{SECOND} Queries",
        "",
    ]
    assert "0 of 13 passed" in lines[1]
    assert steps_in(found.stdout) == ["attention_scores"]
    assert "KeyError" in said_of("attention_scores", found.stdout)
    assert "of 150 points" in lines[-2]
    assert found.returncode == 1


def test_without_a_name_an_untouched_module_that_cannot_be_parsed_is_shown(new_course: NewCourse) -> None:
    assert "SyntaxError" in attn_in(new_course(part3_causal="def ("), "check").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["softmx"], "Did you mean `softmax`?"),
        (["--from", "nowhere"], "there is no folder nowhere"),
        (["--timeout", "0"], "--timeout"),
        (["--exam", "nowhere.exam"], "there is no exam at nowhere.exam"),
        (["--exam", "cut.exam"], "cut.exam is not an exam"),
        (["--debug"], "--debug runs one step"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_usage_error_ends_with_2_and_says_what_is_wrong(begun: Workspace, arguments: list[str], message: str) -> None:
    exam = begun.practice_exam.read_bytes()
    (begun.root / "cut.exam").write_bytes(exam[: len(exam) // 2])
    found = attn_in(begun, "check", *arguments)
    assert (found.returncode, found.stdout) == (2, "")
    assert message in one_line(found.stderr)
    assert "Traceback" not in found.stderr


# What is said of wrong code


def test_a_known_mistake_is_named_and_what_the_code_prints_is_shown(wrong: Run) -> None:
    assert "your code printed: [journey] spread 2" in said_of("scale_scores", wrong.stdout)
    assert "→ You divide by d_k." in said_of("scale_scores", wrong.stdout)


def test_the_solution_is_named_once_after_a_pass(copy: Workspace, attn: Attn) -> None:
    path = copy.exercise(FIRST)
    path.write_text(path.read_text(encoding="utf-8") + f"\n\n{DOT_PRODUCT}", encoding="utf-8")
    first, again = (attn("check", "dot_product").stdout for _ in range(2))
    assert f"How the reference does it: attn hint --solution {FIRST}.dot_product" in first
    assert "attn hint --solution" not in again


def test_an_exception_shows_the_students_own_lines(wrong: Run, wrong_course: Workspace) -> None:
    lines = wrong_course.exercise(FIRST).read_text(encoding="utf-8").splitlines()
    call, fault = (
        lines.index('    return helper({"scores": inputs})') + 1,
        lines.index('    return scores["weights"]') + 1,
    )
    shown = (
        f'exercises/{FIRST}.py:{call} in attention_scores return helper({{"scores": inputs}}) '
        f'exercises/{FIRST}.py:{fault} in helper return scores["weights"]'
    )
    assert shown in said_of("attention_scores", wrong.stdout)


# The screen


def test_without_a_terminal_the_screen_has_80_columns_no_escape_code_and_no_line_of_the_grader(wrong: Run) -> None:
    assert [line for line in wrong.stdout.splitlines() if len(line) > 80] == []
    for foreign in ("\x1b", "Traceback", "autograder/", "site-packages"):
        assert foreign not in wrong.stdout + wrong.stderr


@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}])
def test_a_terminal_is_shown_each_step_and_colours_unless_they_are_unwanted(
    wrong_course: Workspace, more: dict[str, str]
) -> None:
    found = attn_at_terminal(wrong_course, "check", "2.attention_weights", **more)
    assert f"checking {SECOND}.attention_weights …" in found.stderr
    assert bool(colours_in(found.stdout)) is not bool(more)


def test_an_ascii_screen_has_signs_of_its_own(wrong_course: Workspace) -> None:
    screen = attn_in(wrong_course, "check", "2", "1.1", PYTHONIOENCODING="ascii").stdout
    shown = {line[:5].split()[0] for line in screen.splitlines() if line.startswith("  ") and line[2:3].strip()}
    assert shown == {"ok", "X", "-"}


@pytest.mark.slow
def test_ctrl_c_is_quiet(new_course: NewCourse) -> None:
    endless = "def dot_product(a, b):\n    while True:\n        pass\n"
    with Terminal(new_course(part1_simplified=endless), "check", "1.1", "--timeout", "60") as terminal:
        terminal.expect(f"checking {FIRST}.dot_product")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait() == 1
        assert "Traceback" not in terminal.screen


# In the foreground


def test_debugging_a_wrong_step_shows_the_students_own_lines_only(wrong_course: Workspace) -> None:
    found = attn_forked(wrong_course, "check", "1.attention_scores", "--debug")
    assert "KeyError: 'weights'" in said_of("attention_scores", found.stdout)
    assert "in helper" in said_of("attention_scores", found.stdout)
    assert "autograder/" not in found.stdout + found.stderr


@pytest.mark.slow
def test_debugging_reaches_a_breakpoint(new_course: NewCourse) -> None:
    text = "stops = [breakpoint]\n\n\ndef dot_product(a, b):\n    if stops:\n        stops.pop()()\n    return (a * b).sum()\n"
    with Terminal(new_course(part1_simplified=text), "check", "1.1", "--debug") as terminal:
        terminal.expect("(Pdb) ")
        terminal.press("p 6 * 7\n")
        terminal.expect("42")
        terminal.press("c\n")
        assert terminal.wait() == 0


# Files that cannot be loaded


def part_of(screen: str, part: str) -> str:
    """Return what a screen says of one part, on one line."""
    lines = screen.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith(f"{part}  "))
    end = next(n for n in range(begin + 1, len(lines)) if lines[n] and not lines[n].startswith(" "))
    return one_line("\n".join(lines[begin:end]))


def write_broken(workspace: Workspace, part: str, content: bytes | None) -> None:
    path = workspace.exercise(part)
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content)


@pytest.fixture(scope="module")
def syntax_error(new_course: NewCourse) -> Run:
    workspace = new_course(solved=True)
    write_broken(workspace, FIRST, b"import torch\n\n\ndef dot_product(a, b):\n    return (a * b\n")
    return attn_in(workspace, "check", "1", "2")


def test_a_syntax_error_is_told_with_its_line(syntax_error: Run) -> None:
    said = part_of(syntax_error.stdout, FIRST)
    assert f"SyntaxError in exercises/{FIRST}.py, line 5: '(' was never closed return (a * b ^" in said


def test_a_part_beside_a_syntax_error_is_marked(syntax_error: Run, practice: Exam) -> None:
    points = practice.syllabus.part(SECOND).points
    assert f"{points:g} / {points:g} ✓" in part_of(syntax_error.stdout, SECOND)


UNLOADED = [
    (None, f"there is no exercises/{FIRST}.py. `attn reset {FIRST}` puts a fresh stub into exercises/."),
    (b"import torch\n\n# caf\xe9\n", f"exercises/{FIRST}.py is not UTF-8 text ("),
    (b"1 / 0\n", f"division by zero exercises/{FIRST}.py, line 1, in <module>"),
    (b"while True:\n    pass\n", f"loading {FIRST} failed: it did not finish in time. Is there a loop"),
]


@pytest.mark.parametrize(("content", "message"), UNLOADED)
def test_a_file_that_cannot_be_loaded_says_why(begun: Workspace, content: bytes | None, message: str) -> None:
    write_broken(begun, FIRST, content)
    assert message in part_of(attn_in(begun, "check", "1", "--timeout", "1").stdout, FIRST)


def test_without_the_exercises_folder_it_says_how_to_get_it_back(copy: Workspace, attn: Attn) -> None:
    shutil.rmtree(copy.exercises)
    found = attn("check")
    assert found.returncode == 2
    assert "`attn reset` of a part puts its stub there" in found.stderr


@pytest.mark.parametrize("words", [("check",), ("show", "1.1"), ("grade", "class")])
def test_a_folder_without_a_course_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    found = attn_in(Workspace(tmp_path), *words)
    assert (found.returncode, found.stderr.count("there is no course.toml here or above")) == (2, 1)


def test_work_that_a_release_was_unpacked_over_is_named_and_comes_back_whatever_is_written_next(
    copy: Workspace, attn: Attn
) -> None:
    exercise = copy.exercise(FIRST)
    stub = exercise.read_text(encoding="utf-8")
    said = []
    for text in (stub + DOT_PRODUCT, stub, stub + DOT_PRODUCT.replace("sum", "mean")):
        exercise.write_text(text, encoding="utf-8")
        said.append(one_line(attn("check", "dot_product").stderr))
    attn("reset", FIRST, "--undo")

    assert ["holds nothing but stubs now." in one for one in said] == [False, True, False]
    assert exercise.read_text(encoding="utf-8") == stub + DOT_PRODUCT

"""`attn why`: where a step is wrong, what is wrong there, how it would be right, one thing more each time."""

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest
from screen_text import one_line

from autograder.student.progress import progress_file
from autograder.workspace import Workspace

Attn = Callable[..., CompletedProcess[str]]

STEP, PART = "dot_product", "part1_simplified"
WRONG = "\n\ndef dot_product(a, b):\n    products = a * b - a\n    return products.sum()\n"

WITH_GRADIENT = """

def copy_weights(source, target):
    target.W_query.copy_(source.W_query.weight.T)
    target.W_key.copy_(source.W_key.weight.T)
    target.W_value.copy_(source.W_value.weight.T)
"""


@pytest.fixture
def wrong(copy: Workspace) -> Workspace:
    path = copy.exercise(PART)
    path.write_text(path.read_text(encoding="utf-8") + WRONG, encoding="utf-8")
    return copy


@pytest.mark.usefixtures("wrong")
def test_each_call_says_one_thing_more(attn: Attn) -> None:
    first, second, third, fourth = (one_line(attn("why", STEP).stdout) for _ in range(4))

    assert "1. " in first
    assert "2. " not in first
    assert "2 more: call it again." in first
    assert "2. " in second
    assert "3. " in third
    assert "(Tested: all " in third
    assert third == fourth
    assert "That was the last one." in third


def test_what_check_has_said_is_said_from_the_first_call_on(copy: Workspace, attn: Attn) -> None:
    path = copy.exercise("part2_trainable")
    path.write_text(path.read_text(encoding="utf-8") + WITH_GRADIENT, encoding="utf-8")

    checked, first = (one_line(attn(verb, "copy_weights").stdout) for verb in ("check", "why"))

    assert "`with torch.no_grad():`" in checked
    assert "`with torch.no_grad():`" in first


def test_other_code_is_asked_about_from_the_first_on(wrong: Workspace, attn: Attn) -> None:
    attn("why", STEP)
    path = wrong.exercise(PART)
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")

    assert "2. " not in one_line(attn("why", STEP).stdout)


@pytest.mark.usefixtures("wrong")
def test_all_can_be_asked_for_at_once(attn: Attn) -> None:
    assert "3. " in one_line(attn("why", STEP, "--all").stdout)


@pytest.mark.usefixtures("wrong")
def test_the_line_that_is_meant_is_underlined(attn: Attn) -> None:
    lines = attn("why", STEP).stdout.splitlines()
    (place,) = (number for number, line in enumerate(lines) if line.strip() == "products = a * b - a")

    assert lines[place + 1].strip() == "^^^^^^^^^"


def test_a_course_says_how_far_students_are_told(wrong: Workspace, attn: Attn) -> None:
    listed = wrong.root / "course.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + '\n[causes]\nrungs = "where"\n', encoding="utf-8")

    said = one_line(attn("why", STEP, "--all").stdout)

    assert "1. " in said
    assert "2. " not in said


def test_a_course_says_a_slip_in_its_own_words(wrong: Workspace, attn: Attn) -> None:
    listed = wrong.root / "course.toml"
    listed.write_text(
        listed.read_text(encoding="utf-8") + '\n[slips]\nneedless_operand = "Too much."\n', encoding="utf-8"
    )

    assert "2. Too much." in one_line(attn("why", STEP, "--all").stdout)


def test_any_other_depth_is_refused(wrong: Workspace, attn: Attn) -> None:
    listed = wrong.root / "course.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + '\n[causes]\nrungs = "all"\n', encoding="utf-8")

    assert "expected how far students are told a cause" in one_line(attn("why", STEP).stderr)


def test_where_no_cause_is_known_the_message_is_said_again(copy: Workspace, attn: Attn) -> None:
    path = copy.exercise(PART)
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\ndef dot_product(a, b):\n    return [a, b]\n", encoding="utf-8"
    )
    said = one_line(attn("why", STEP).stdout)

    assert said.startswith("case journey: expected one tensor")
    assert "No more is known than that." in said


def test_a_stub_is_not_wrong(attn: Attn) -> None:
    found = attn("why", STEP)

    assert "is not written yet" in one_line(found.stdout)
    assert found.returncode == 1


def test_a_step_that_passes_has_no_cause(copy: Workspace, attn: Attn) -> None:
    path = copy.exercise(PART)
    path.write_text(path.read_text(encoding="utf-8") + WRONG.replace("a * b - a", "a * b"), encoding="utf-8")
    found = attn("why", STEP)

    assert one_line(found.stdout) == f"{PART}.{STEP} passes."
    assert found.returncode == 0


def test_another_line_than_check_has_named_is_told_with_both(wrong: Workspace, attn: Attn) -> None:
    attn("check", STEP)
    kept = progress_file(wrong)
    progress = json.loads(kept.read_text(encoding="utf-8"))
    progress["steps"][f"{PART}.{STEP}"]["line"] = 7  # as of a search whose time was over sooner
    kept.write_text(json.dumps(progress), encoding="utf-8")

    assert "`attn check` has named line 7" in one_line(attn("why", STEP).stdout)


@pytest.mark.usefixtures("wrong")
def test_the_line_that_check_has_named_is_not_told_twice(attn: Attn) -> None:
    attn("check", STEP)

    assert "has named line" not in one_line(attn("why", STEP).stdout)

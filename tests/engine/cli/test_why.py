"""`attn hint --why`: where a step is wrong, what is wrong there, how it would be right, one thing more each time."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest
from screen_text import one_line

from autograder.workspace import Workspace

Attn = Callable[..., CompletedProcess[str]]

STEP, PART = "dot_product", "part1_simplified"
WRONG = "\n\ndef dot_product(a, b):\n    products = a * b - a\n    return products.sum()\n"


@pytest.fixture
def wrong(copy: Workspace) -> Workspace:
    path = copy.exercise(PART)
    path.write_text(path.read_text(encoding="utf-8") + WRONG, encoding="utf-8")
    return copy


@pytest.mark.usefixtures("wrong")
def test_each_call_says_one_thing_more(attn: Attn) -> None:
    first, second, third, fourth = (one_line(attn("hint", "--why", STEP).stdout) for _ in range(4))

    assert "1. " in first
    assert "2. " not in first
    assert "2 more: call it again." in first
    assert "2. " in second
    assert "3. " in third
    assert "(Tested: all " in third
    assert third == fourth
    assert "That was the last one." in third


@pytest.mark.usefixtures("wrong")
def test_the_line_that_is_meant_is_underlined(attn: Attn) -> None:
    lines = attn("hint", "--why", STEP).stdout.splitlines()
    (place,) = (number for number, line in enumerate(lines) if line.strip() == "products = a * b - a")

    assert lines[place + 1].strip() == "^^^^^^^^^"


def test_a_course_says_how_far_students_are_told(wrong: Workspace, attn: Attn) -> None:
    listed = wrong.root / "course.toml"
    listed.write_text(listed.read_text(encoding="utf-8") + '\n[causes]\nrungs = "where"\n', encoding="utf-8")

    said = one_line(attn("hint", "--why", STEP).stdout)

    assert "1. " in said
    assert "2. " not in said


def test_where_no_cause_is_known_the_message_is_said_again(copy: Workspace, attn: Attn) -> None:
    path = copy.exercise(PART)
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\ndef dot_product(a, b):\n    return [a, b]\n", encoding="utf-8"
    )
    said = one_line(attn("hint", "--why", STEP).stdout)

    assert said.startswith("case journey: expected one tensor")
    assert "No more is known than that." in said


def test_a_stub_is_not_wrong(attn: Attn) -> None:
    found = attn("hint", "--why", STEP)

    assert "is not written yet" in one_line(found.stdout)
    assert found.returncode == 1

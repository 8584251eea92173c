"""Where a student is taken after a save."""

import pytest

from autograder.cli.watching.place import changed_in, fared_in, first_open, go_on, passed_with
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.marks import Marks, PartMarks, StepMarks

FIRST, SECOND = "part1_simplified", "part2_trainable"


@pytest.fixture(scope="module")
def steps(practice: Exam) -> tuple[SyllabusStep, ...]:
    return practice.syllabus.steps


def marks_of(part: str, error: str | None = None, **verdicts: str) -> Marks:
    marked = tuple(StepMarks(step, verdict, 0.0, 1.0) for step, verdict in verdicts.items())
    return Marks("ada", "", "", "", 0.0, "none", (PartMarks(part, error, marked),))


def test_the_first_open_step_is_the_first_that_has_not_passed(steps: tuple[SyllabusStep, ...]) -> None:
    assert first_open(steps, {steps[0].path}) == steps[1]


def test_steps_before_the_place_come_after_those_behind_it(steps: tuple[SyllabusStep, ...]) -> None:
    passed = {step.path for step in steps[2:]}
    assert first_open(steps, passed, after=2) == steps[0]


def test_when_all_have_passed_the_last_step_stays(steps: tuple[SyllabusStep, ...]) -> None:
    assert first_open(steps, {step.path for step in steps}) == steps[-1]


def test_what_passes_is_added_and_what_fails_is_taken_away() -> None:
    marks = marks_of(FIRST, dot_product="raised", softmax="passed")
    before = {f"{FIRST}.dot_product", f"{SECOND}.project_qkv"}
    assert passed_with(before, marks) == {f"{FIRST}.softmax", f"{SECOND}.project_qkv"}


def test_a_part_that_cannot_be_loaded_takes_nothing_back() -> None:
    marks = marks_of(FIRST, error="SyntaxError", dot_product="missing")
    assert passed_with({f"{FIRST}.dot_product"}, marks) == {f"{FIRST}.dot_product"}


def test_a_step_that_has_not_passed_stays(steps: tuple[SyllabusStep, ...]) -> None:
    marks = marks_of(FIRST, dot_product="wrong_values")
    assert go_on(steps[0], steps, set(), set(), marks, {}) == steps[0]


def test_a_step_that_has_passed_leads_to_the_next_open_one(steps: tuple[SyllabusStep, ...]) -> None:
    now = {steps[2].path, steps[3].path}
    assert go_on(steps[2], steps, {steps[3].path}, now, marks_of(FIRST, softmax="passed"), {}) == steps[4]


def test_a_step_that_passes_no_longer_comes_first(steps: tuple[SyllabusStep, ...]) -> None:
    marks = marks_of(FIRST, dot_product="raised", softmax="wrong_values")
    assert go_on(steps[2], steps, {steps[0].path}, set(), marks, {}) == steps[0]


def test_saving_another_part_goes_to_its_first_open_step(steps: tuple[SyllabusStep, ...]) -> None:
    marks = marks_of(SECOND, project_qkv="wrong_values")
    assert go_on(steps[0], steps, set(), set(), marks, {}).path == f"{SECOND}.project_qkv"


def test_saving_another_part_that_is_complete_changes_nothing(steps: tuple[SyllabusStep, ...]) -> None:
    done = {step.path for step in steps if step.part == SECOND}
    assert go_on(steps[0], steps, done, done, marks_of(SECOND, project_qkv="passed"), {}) == steps[0]


def test_the_step_that_was_worked_on_is_shown(steps: tuple[SyllabusStep, ...]) -> None:
    known = fared_in(marks_of(FIRST, dot_product="not_attempted", softmax="not_attempted"))
    marks = marks_of(FIRST, dot_product="not_attempted", softmax="wrong_values")
    assert go_on(steps[0], steps, set(), set(), marks, known).name == "softmax"


def test_a_step_that_was_worked_on_stays_though_others_change_with_it(steps: tuple[SyllabusStep, ...]) -> None:
    known = fared_in(marks_of(FIRST, dot_product="raised", softmax="raised"))
    marks = marks_of(FIRST, dot_product="wrong_values", softmax="wrong_values")
    assert go_on(steps[2], steps, set(), set(), marks, known).name == "softmax"


def test_a_step_that_is_a_stub_again_is_not_worked_on(steps: tuple[SyllabusStep, ...]) -> None:
    known = fared_in(marks_of(FIRST, dot_product="raised", softmax="raised"))
    marks = marks_of(FIRST, dot_product="raised", softmax="not_attempted")
    assert go_on(steps[0], steps, set(), set(), marks, known) == steps[0]


def test_another_message_is_a_change() -> None:
    marks = marks_of(FIRST, dot_product="raised")
    known = {f"{FIRST}.dot_product": ("raised", "TypeError")}
    assert changed_in(marks, known) == {f"{FIRST}.dot_product"}


def test_what_a_file_that_cannot_be_loaded_holds_has_not_changed() -> None:
    known = fared_in(marks_of(FIRST, dot_product="raised"))
    assert changed_in(marks_of(FIRST, error="SyntaxError", dot_product="missing"), known) == set()

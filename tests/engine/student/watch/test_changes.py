"""What marks change: where a student is taken, and what is said about it."""

from dataclasses import replace

from watch_states import FIRST, SECOND, at, known, marks_of

from autograder.grading.results import Marks
from autograder.student.watch.changes import change_by, first_open, go_on, news_of, passed_in
from autograder.student.watch.state import State


def shown(state: State, marks: Marks) -> str:
    """Return the name of the step that is shown after marks."""
    return go_on(state, change_by(marks, state.marks), [part.part for part in marks.parts]).name


def said(state: State, marks: Marks, here: str = "dot_product") -> list[str]:
    """Return what is said beside a step after marks."""
    errors = {part.part: part.error for part in marks.parts}
    return [line.plain for line in news_of(state, at(state, here).step, change_by(marks, state.marks), errors)]


def test_the_first_open_step_is_the_first_that_has_not_passed(state: State) -> None:
    assert first_open(state.steps, {state.steps[0].path}) == state.steps[1]


def test_when_all_have_passed_the_last_step_stays(state: State) -> None:
    assert first_open(state.steps, {step.path for step in state.steps}) == state.steps[-1]


def test_marks_take_the_place_of_earlier_ones_of_the_same_steps() -> None:
    before = known(dot_product="passed", attention_scores="passed")
    change = change_by(marks_of(FIRST, dot_product="raised", softmax="passed"), before)
    assert change.passed == {f"{FIRST}.attention_scores", f"{FIRST}.softmax"}
    assert (change.newly, change.fallen) == ({f"{FIRST}.softmax"}, {f"{FIRST}.dot_product"})


def test_another_message_is_a_change() -> None:
    before = change_by(marks_of(FIRST, dot_product=("raised", "TypeError")), {}).marks
    assert change_by(marks_of(FIRST, dot_product=("raised", "ValueError")), before).tried == {f"{FIRST}.dot_product"}


def test_a_step_that_passes_now_leads_to_the_next_open_one(state: State) -> None:
    before = at(state, "softmax", passed=["weigh_values", "attention_weights"])
    assert (
        shown(before, marks_of(FIRST, softmax="passed"))
        == first_open(state.steps, passed_in(before.marks) | {f"{FIRST}.softmax"}, after=2).name
    )


def test_where_another_step_passes_now_a_chosen_one_that_had_passed_is_left(state: State) -> None:
    before = at(state, "dot_product", passed=["dot_product"])
    assert shown(before, marks_of(FIRST, dot_product="passed", attention_scores="passed")) == "softmax"


def test_saving_another_part_goes_to_its_first_open_step(state: State) -> None:
    assert shown(state, marks_of(SECOND, project_qkv="wrong_values")) == "project_qkv"


def test_the_step_that_was_worked_on_is_shown(state: State) -> None:
    before = replace(state, marks=known(dot_product="not_attempted", softmax="not_attempted"))
    assert shown(before, marks_of(FIRST, dot_product="not_attempted", softmax="wrong_values")) == "softmax"


def test_what_passes_now_is_said_with_its_points(state: State) -> None:
    assert said(state, marks_of(FIRST, dot_product="passed"))[0] == "✓ dot_product  2 points"


def test_what_passes_no_longer_is_said(state: State) -> None:
    before = replace(state, marks=known(dot_product="passed"))
    (line,) = said(before, marks_of(FIRST, dot_product="raised"))
    assert line.startswith("dot_product had passed and does not pass any more.")


def test_a_part_that_is_complete_now_is_celebrated_and_the_end_of_all_said(state: State) -> None:
    part = state.syllabus.part(FIRST)
    marks = marks_of(FIRST, **{step.name: "passed" for step in part.steps})
    only = replace(state, steps=part.steps)
    assert said(only, marks)[-2:] == [
        f"{FIRST} is complete: {part.points:g} points. {part.title}: you have written all of it.",
        "Every step that is watched has passed. q ends the watch.",
    ]
    assert said(replace(only, marks=change_by(marks, {}).marks), marks) == []

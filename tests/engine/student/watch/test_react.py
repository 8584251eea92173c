"""What the watch makes of saves, marks and keys, and what it does about them."""

from dataclasses import replace

import pytest
from watch_states import CURE, FIRST, SECOND, at, known, marks_of, wrong_with

from autograder.course.verdicts import Verdict
from autograder.grading.results import StepMarks
from autograder.runner.processes import CannotRun
from autograder.student.watch.react import CHECKING, explained, marked, noticed, pressed, saved, waited
from autograder.student.watch.state import Effect, Explained, State, View


def after(state: State, *keys: str) -> State:
    """Return the state after some keys."""
    for key in keys:
        state, _ = pressed(state, key)
    return state


@pytest.fixture
def looking(state: State) -> State:
    """The state of a watch that looks for the cause of a wrong step."""
    now, _ = marked(replace(state, causes=True), marks_of(FIRST, dot_product="wrong_values"))
    assert now.searching
    return now


def plain(state: State) -> list[str]:
    return [line.plain for line in state.news]


def test_a_saved_part_is_marked(state: State) -> None:
    now, effects = saved(state, [SECOND])
    assert (now.owed, now.under_way, effects) == ({SECOND}, CHECKING, [Effect.MARK])


def test_a_part_saved_while_another_is_marked_is_marked_with_it(state: State) -> None:
    now, _ = saved(saved(state, [SECOND])[0], [FIRST])
    assert now.owed == {FIRST, SECOND}


def test_a_step_that_takes_long_is_named_and_given_up_for_what_is_saved_next(state: State) -> None:
    slow = waited(saved(state, [FIRST])[0], f"{FIRST}.dot_product")
    assert slow.under_way == "checking dot_product … another save ends it"
    assert saved(slow, [SECOND])[0].owed == {SECOND}


def test_marks_are_taken_and_remembered(state: State) -> None:
    marks = marks_of(FIRST, dot_product="raised")
    now, effects = marked(saved(state, [FIRST])[0], marks)
    assert (now.latest, now.owed, now.under_way, effects) == (marks, frozenset(), "", [Effect.REMEMBER])
    assert now.marks[f"{FIRST}.dot_product"].verdict == "raised"


def test_a_step_in_a_part_without_marks_is_marked_when_it_is_gone_on_to(state: State) -> None:
    *others, last = state.syllabus.part(FIRST).steps
    before = at(state, last.name, passed=[step.name for step in others])
    now, effects = marked(before, marks_of(FIRST, **{last.name: "passed"}))
    assert (now.step.part, now.owed) == (SECOND, {SECOND})
    assert effects == [Effect.MARK, Effect.REMEMBER]


def test_what_could_not_be_marked_is_said_and_marked_with_the_next_save(state: State) -> None:
    now, _ = marked(saved(state, [FIRST])[0], CannotRun("the process has died."))
    assert (plain(now), now.under_way) == (["the process has died. Save again to try again."], "")
    assert saved(now, [SECOND])[0].owed == {FIRST, SECOND}


def test_an_error_that_nobody_foresaw_is_raised(state: State) -> None:
    with pytest.raises(ZeroDivisionError):
        marked(state, ZeroDivisionError())


def test_the_cause_of_a_wrong_step_is_searched_for_once_its_verdict_is_shown(state: State) -> None:
    now, effects = marked(replace(state, causes=True), marks_of(FIRST, dot_product="wrong_values"))
    assert (now.searching, now.under_way, effects) == (True, "", [Effect.REMEMBER, Effect.EXPLAIN])


@pytest.mark.parametrize("verdict", ["passed", "not_attempted", "timed_out"])
def test_where_no_answer_is_wrong_nothing_is_searched_for(state: State, verdict: str) -> None:
    alone = replace(state, steps=state.steps[:1], causes=True)
    now, effects = marked(alone, marks_of(FIRST, dot_product=verdict))
    assert (now.searching, effects) == (False, [Effect.REMEMBER])


def test_a_step_that_is_wrong_still_is_searched_again_after_a_save_elsewhere(looking: State) -> None:
    elsewhere, _ = saved(looking, [SECOND])
    assert not elsewhere.searching
    passed = {step.name: "passed" for step in looking.syllabus.part(SECOND).steps}
    now, effects = marked(elsewhere, marks_of(SECOND, **passed))
    assert (now.step, now.searching, effects) == (looking.step, True, [Effect.REMEMBER, Effect.EXPLAIN])


def test_a_save_ends_the_search(looking: State) -> None:
    now, effects = saved(looking, [FIRST])
    assert (now.searching, effects) == (False, [Effect.MARK])


def test_what_is_found_stands_with_the_verdict(looking: State) -> None:
    found = StepMarks("dot_product", Verdict.WRONG_VALUES, 0.0, 2.0, diagnosis=CURE)
    now, effects = explained(looking, Explained(looking.step.path, found))
    assert (now.marks[looking.step.path], now.searching, effects) == (found, False, ())


def test_w_tells_one_thing_more_of_the_cause_each_time(state: State) -> None:
    """The verdict has said the first already."""
    wrong = wrong_with(state, CURE)
    first, effects = pressed(wrong, "w")
    assert (first.told, effects) == ({state.step.path: 2}, [Effect.NOTE_RUNG])
    assert pressed(first, "w")[0].told == {state.step.path: 3}


def test_w_waits_for_the_verdict_and_for_the_cause(looking: State) -> None:
    checking, _ = saved(wrong_with(looking, CURE), [FIRST])
    assert [pressed(one, "w") == (one, ()) for one in (looking, checking)] == [True, True]


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        ("not_attempted", "dot_product is not written yet: s shows what it asks."),
        ("passed", "dot_product passes."),
        (
            "timed_out",
            f"No more is known than what stands here. `attn values {FIRST}.dot_product` shows your numbers line by line.",
        ),
        ("wrong_values", f"Nothing more is known; `attn why {FIRST}.dot_product` searches for the cause."),
    ],
)
def test_w_says_why_there_is_nothing_to_tell(state: State, verdict: str, says: str) -> None:
    assert plain(after(replace(state, marks=known(dot_product=verdict)), "w")) == [says]


def test_h_reveals_one_more_hint_each_time_up_to_the_last(state: State) -> None:
    assert [after(state, *"h" * times).hints[state.step.path] for times in (1, 2, 3)] == [1, 2, 2]
    assert pressed(state, "h")[1] == [Effect.NOTE_HINT]


def test_s_opens_and_closes_the_card(state: State) -> None:
    assert [after(state, *keys).view for keys in ("s", "ss")] == [View.CARD, View.VERDICT]


def test_l_opens_the_list_at_the_step_at_hand(state: State) -> None:
    listed = after(at(state, "softmax"), "l")
    assert (listed.view, listed.chosen.name) == (View.LIST, "softmax")


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (["down", "j"], 2),
        (["down", "up"], 0),
        (["j", "k", "k"], 0),
        (["page down", "page down", "page up"], 10),
        (["page down"] * 9, -1),
        (["x", "?"], 0),
    ],
)
def test_keys_move_in_the_list_and_not_out_of_it(state: State, keys: list[str], place: int) -> None:
    assert after(state, "l", *keys).chosen == state.steps[place]


def test_enter_goes_to_the_chosen_step_and_has_its_part_marked(state: State) -> None:
    now, effects = pressed(after(noticed(state, "something"), "l", "page down"), "enter")
    assert (now.step, now.view, now.news) == (state.steps[10], View.VERDICT, ())
    assert (now.owed, effects) == ({state.steps[10].part}, [Effect.MARK])


@pytest.mark.parametrize("key", ["escape", "l", "q"])
def test_the_list_is_left_by_escape_and_by_the_key_that_opened_it_or_ends_the_watch(state: State, key: str) -> None:
    now, effects = pressed(after(state, "l", "down"), key)
    assert (now.view, now.step, effects) == (View.VERDICT, state.step, ())


def test_r_asks_and_y_puts_the_stub_back(state: State) -> None:
    asked, effects = pressed(state, "r")
    assert (asked.view, effects) == (View.QUESTION, ())
    assert pressed(asked, "y")[1] == [Effect.RESTORE]


@pytest.mark.parametrize("key", ["n", "x", "q"])
def test_any_other_answer_changes_nothing(state: State, key: str) -> None:
    now, effects = pressed(after(state, "r"), key)
    assert (plain(now), now.view, effects) == (["Nothing has been changed."], View.VERDICT, ())


def test_the_question_is_about_the_step_that_was_at_hand_though_the_screen_moves_on(state: State) -> None:
    moved_on, _ = marked(after(state, "r"), marks_of(FIRST, dot_product="passed"))
    answered, effects = pressed(moved_on, "y")
    assert (moved_on.step.name, answered.chosen.name, effects) == ("attention_scores", "dot_product", [Effect.RESTORE])


@pytest.mark.parametrize(("key", "effect"), [("d", Effect.DEBUG), ("q", Effect.QUIT)])
def test_d_debugs_and_q_ends(state: State, key: str, effect: Effect) -> None:
    assert pressed(state, key)[1] == [effect]

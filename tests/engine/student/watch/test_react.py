"""What the watch makes of saves, marks and keys, and what it does about them."""

from dataclasses import replace

import pytest
from watch_states import FIRST, SECOND, at, marks_of

from autograder.sitting.processes import CannotSit
from autograder.student.watch.react import CHECKING, LOADING, marked, noticed, pressed, saved, waited
from autograder.student.watch.state import Effect, State, View


def after(state: State, *keys: str) -> State:
    """Return the state after some keys."""
    for key in keys:
        state, _ = pressed(state, key)
    return state


def plain(state: State) -> list[str]:
    return [line.plain for line in state.news]


def test_a_saved_part_is_marked(state: State) -> None:
    now, effects = saved(state, [SECOND])
    assert (now.owed, now.under_way, effects) == ({SECOND}, CHECKING, [Effect.MARK])


def test_for_a_module_that_is_no_part_the_step_at_hand_is_marked(state: State) -> None:
    assert saved(state, ["products"])[0].owed == {FIRST}


def test_a_part_that_is_not_watched_is_not_marked(state: State) -> None:
    alone = replace(state, steps=state.syllabus.part(FIRST).steps)
    assert saved(alone, [FIRST, SECOND])[0].owed == {FIRST}


def test_a_save_closes_the_card(state: State) -> None:
    assert saved(after(state, "s"), [FIRST])[0].view == View.VERDICT


def test_what_was_said_stays_until_the_next_verdict(state: State) -> None:
    marked_once, _ = marked(state, marks_of(FIRST, dot_product="passed"))
    checking, _ = saved(marked_once, [FIRST])
    verdict, _ = marked(checking, marks_of(FIRST, dot_product="passed"))
    assert [plain(one) for one in (checking, verdict)] == [["✓ dot_product  2 points"], []]


def test_what_was_said_at_the_start_stays_with_the_first_verdict(state: State) -> None:
    first, _ = marked(noticed(state, "it is called otherwise now"), marks_of(FIRST, dot_product="not_attempted"))
    assert plain(first) == ["it is called otherwise now"]


def test_what_led_on_to_a_part_without_marks_stays_while_that_is_marked(state: State) -> None:
    *others, last = state.syllabus.part(FIRST).steps
    first, _ = marked(at(state, last.name), marks_of(FIRST, **{last.name: "not_attempted"}))
    led_on, _ = marked(at(first, last.name, [step.name for step in others]), marks_of(FIRST, **{last.name: "passed"}))
    there, _ = marked(led_on, marks_of(SECOND, project_qkv="not_attempted"))
    assert plain(there) == plain(led_on) != []


def test_a_part_saved_while_another_is_marked_is_marked_with_it(state: State) -> None:
    now, _ = saved(saved(state, [SECOND])[0], [FIRST])
    assert now.owed == {FIRST, SECOND}


def test_a_part_that_has_its_marks_is_not_marked_again_with_the_next(state: State) -> None:
    has_marks, _ = marked(saved(state, [FIRST])[0], marks_of(FIRST, dot_product="raised"))
    assert saved(has_marks, [SECOND])[0].owed == {SECOND}


def test_a_step_that_takes_long_is_named_and_given_up_for_what_is_saved_next(state: State) -> None:
    slow = waited(saved(state, [FIRST])[0], f"{FIRST}.dot_product")
    assert slow.under_way == "checking dot_product … another save ends it"
    assert saved(slow, [SECOND])[0].owed == {SECOND}


def test_a_part_that_waits_is_not_given_up_with_what_takes_long(state: State) -> None:
    slow = waited(saved(state, [FIRST, SECOND])[0], f"{FIRST}.dot_product")
    assert saved(slow, ["part3_causal"])[0].owed == {SECOND, "part3_causal"}


def test_before_the_first_step_it_is_torch_or_the_file_that_takes_long(state: State) -> None:
    assert waited(saved(state, [FIRST])[0], "").under_way == LOADING


def test_where_nothing_is_under_way_nothing_takes_long(state: State) -> None:
    assert waited(state, f"{FIRST}.dot_product") is state


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
    now, _ = marked(saved(state, [FIRST])[0], CannotSit("the process has died."))
    assert (plain(now), now.under_way) == (["the process has died. Save again to try again."], "")
    assert saved(now, [SECOND])[0].owed == {FIRST, SECOND}


def test_an_error_that_nobody_foresaw_is_raised(state: State) -> None:
    with pytest.raises(ZeroDivisionError):
        marked(state, ZeroDivisionError())


def test_what_is_noticed_twice_is_said_once(state: State) -> None:
    assert plain(noticed(noticed(state, "it is full"), "it is full")) == ["it is full"]


def test_h_reveals_one_more_hint_each_time_up_to_the_last(state: State) -> None:
    assert [after(state, *"h" * times).hints[state.step.path] for times in (1, 2, 3)] == [1, 2, 2]
    assert pressed(state, "h")[1] == [Effect.NOTE_HINT]


def test_s_opens_and_closes_the_card(state: State) -> None:
    assert [after(state, *keys).view for keys in ("s", "ss")] == [View.CARD, View.VERDICT]


def test_the_card_stays_open_while_a_hint_is_revealed(state: State) -> None:
    assert after(state, "s", "h").view == View.CARD


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


def test_marks_that_come_meanwhile_leave_the_list_open(state: State) -> None:
    now, _ = marked(after(state, "l", "down"), marks_of(FIRST, dot_product="passed"))
    assert (now.view, now.chosen) == (View.LIST, state.steps[1])


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


def test_a_key_that_means_nothing_changes_nothing(state: State) -> None:
    assert pressed(state, "x") == (state, ())

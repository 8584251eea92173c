"""Pictures as HTML: what stands in the tables, what is marked as wrong, and that no text becomes markup."""

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.course.verdicts import Verdict
from autograder.grading.pictures import CHANGED, Picture, boxes_of, view_of
from autograder.grading.results import Check, Diagnosis, Spot, StepMarks
from autograder.render.html import coded, draw_boxes, draw_failure, draw_view

WORDS = Words({"t": "token", "tq": "token", "tk": "token"})
EXPECTED = np.array([[0.1, 0.2], [0.3, 0.4]])
WEIGHTS = np.array([[0.1, 0.9], [0.3, 0.7]])
SECOND = np.array([[0.0, 0.5], [0.0, -0.5]])
EVIL = '<script>alert(1)</script>"'


@dataclass
class Table:
    """A table: its caption, the texts of its rows, and for each cell of its body whether it is wrong."""

    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)
    wrong: list[list[bool]] = field(default_factory=list)


class Page(HTMLParser):
    """What is seen of some HTML; what is only read aloud is left out."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self.names: set[str] = set()
        self.scopes: list[str | None] = []
        self.texts: list[str] = []
        self._hidden = 0
        self._into: str = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.names.add(tag)
        if tag == "table":
            self.tables.append(Table())
        elif tag == "tr":
            self.tables[-1].rows.append([])
            self.tables[-1].wrong.append([])
        elif tag in ("td", "th"):
            self.tables[-1].rows[-1].append("")
            self.tables[-1].wrong[-1].append(given.get("class") == "off")
            if tag == "th":
                self.scopes.append(given.get("scope"))
        if tag in ("td", "th", "caption", "p"):
            self._into = tag
        if tag == "span":
            self._hidden = given.get("class") == "attn-sr"

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self._hidden = False

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._into in ("td", "th"):
            self.tables[-1].rows[-1][-1] += data
        elif self._into == "caption":
            self.tables[-1].caption += data
        else:
            self.texts.append(data)


def page(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = (), name: str = "") -> Page:
    return Page(draw_view(view_of(Picture(name, expected, yours, dims, {"token": tokens}, WORDS)), "softmax"))


def test_a_matrix_is_three_tables_under_and_behind_its_labels() -> None:
    found = page(EXPECTED, EXPECTED + SECOND, "tq", "d", tokens=("Your", "step"))

    assert [table.caption for table in found.tables] == ["expected", "yours", "difference"]
    assert [table.rows[0] for table in found.tables] == [["tq/d", "0", "1"]] * 3
    assert found.tables[2].rows[1:] == [["Your", "·", "0.50"], ["step", "·", "-0.50"]]


def test_a_tensor_that_was_written_to_is_shown_before_and_after_with_the_change() -> None:
    drawn = draw_view(view_of(Picture("", EXPECTED, EXPECTED * 2, ("tq", "tk"), titles=CHANGED)), "softmax")
    found = Page(drawn)

    assert [table.caption for table in found.tables] == ["before", "after", "change"]
    assert [table.rows[1][1:] for table in found.tables] == [["0.10", "0.20"], ["0.20", "0.40"], ["0.10", "0.20"]]
    assert drawn.count('<span class="attn-sr"> changed</span>') == 2 * EXPECTED.size
    assert "wrong" not in drawn


def test_columns_that_run_over_the_tokens_have_their_words() -> None:
    assert page(EXPECTED, -EXPECTED, "tq", "tk", tokens=("Your", "step")).tables[0].rows[0][1:] == ["Your", "step"]


def test_a_vector_is_one_table_of_three_rows() -> None:
    (table,) = page(np.array([1.0, 2.0]), np.array([1.0, 3.0]), "t").tables

    assert table.rows[1:] == [["expected", "1.00", "2.00"], ["yours", "1.00", "3.00"], ["difference", "·", "1.00"]]


def test_a_small_difference_does_not_look_like_none() -> None:
    even = np.array([[0.5, 0.5], [0.2, 0.8]])
    difference = page(even, even + np.array([[0.002, 0], [0, -0.003]]), "t", "t").tables[2]

    assert [row[1:] for row in difference.rows[1:]] == [["2e-3", "·"], ["·", "-3e-3"]]


def test_wrong_numbers_are_marked_in_yours_and_in_the_difference_alone() -> None:
    tables = page(EXPECTED, EXPECTED + SECOND, "tq", "tk").tables

    marked = [[row[1:] for row in table.wrong[1:]] for table in tables]
    assert marked == [[[False, False]] * 2, [[False, True]] * 2, [[False, True]] * 2]


def test_whoever_does_not_see_a_wrong_number_is_told() -> None:
    drawn = draw_view(view_of(Picture("", np.array([1.0, 2.0]), np.array([1.0, 3.0]), ("t",))), "softmax")

    assert drawn.count('<span class="attn-sr"> wrong</span>') == 2
    assert 'aria-label="softmax: expected, yours, difference"' in drawn


def test_every_heading_says_what_it_is_the_heading_of() -> None:
    assert page(EXPECTED, -EXPECTED, "tq", "tk").scopes.count(None) == 0


def test_a_mask_is_blocks_and_its_words_are_read_aloud() -> None:
    expected, yours = np.array([[True, False]]), np.array([[True, True]])
    found = page(expected, yours, "tq", "tk")
    drawn = draw_view(view_of(Picture("", expected, yours, ("tq", "tk"))), "causal_mask")

    assert [table.rows[1][1:] for table in found.tables] == [["■", "□"], ["■", "■"], ["·", "✗"]]
    assert drawn.count('<span class="attn-sr">True</span>') == 3


def test_sums_of_rows_stand_behind_them_where_one_is_not_1() -> None:
    found = page(WEIGHTS, np.array([[0.1, 0.9], [0.5, 0.7]]), "tq", "tk")

    assert [row[-1] for row in found.tables[1].rows] == ["sum", "1.00", "1.20"]
    assert [row[-1] for row in found.tables[1].wrong] == [False, False, True]
    assert found.texts == ["sum: the sum of each row, which should be 1"]


def test_a_vector_whose_sum_is_not_1_has_as_many_cells_in_each_row() -> None:
    (table,) = page(np.array([0.4, 0.6]), np.array([0.4, 0.7]), "t").tables

    assert [len(row) for row in table.rows] == [4] * 4
    assert table.rows[2][-1] == "1.10"


def test_numbers_in_another_order_have_the_letter_of_what_they_belong_to() -> None:
    expected = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    found = page(expected, expected.ravel().reshape(2, 3).T.copy(), "t", "d", tokens=("Your", "journey", "starts"))

    assert [table.caption for table in found.tables] == ["expected", "yours"]
    assert found.tables[0].rows[1][1:] == ["1.00 a", "2.00 a"]
    assert found.tables[1].rows[1][1:] == ["1.00 a", "4.00 b"]
    assert found.texts == [
        "letters and colours: to which token of the expected answer a number belongs (a Your, b journey, c starts)"
    ]


def test_integers_are_written_as_such() -> None:
    assert page(np.array([2, 3]), np.array([2, 5]), "t").tables[0].rows[2] == ["yours", "2", "5"]


def test_numbers_that_are_none_are_written() -> None:
    found = page(EXPECTED, np.array([[np.nan, -np.inf], [0.3, 0.4]]), "tq", "d")

    assert found.tables[1].rows[1][1:] == ["nan", "-inf"]


def test_a_number_is_darker_the_larger_it_is() -> None:
    drawn = draw_view(view_of(Picture("", np.array([1.0, 4.0]), np.array([1.0, 4.0]), ("t",))), "softmax")

    assert '<td style="--share:0.25">1.00</td><td style="--share:1.00">4.00</td>' in drawn


def test_which_slice_and_which_part_are_shown_is_said() -> None:
    expected = np.zeros((2, 20, 3))
    yours = expected.copy()
    yours[1, 15] = 1.0

    texts = page(expected, yours, "b", "t", "d", name="keys").texts

    assert texts == ["keys, b 1", "from row 12 and column 0 on, a part of a larger tensor"]


def test_a_wrong_shape_is_two_tables_that_mark_what_is_off() -> None:
    boxes = boxes_of("", (2, 6, 4), (2, 4, 4), ("b", "t", "d"), ("b", "d", "d"))
    assert boxes
    found = Page(draw_boxes(boxes, "softmax"))

    assert [table.rows for table in found.tables] == [
        [["b", "t", "d"], ["2", "6", "4"]],
        [["b", "?", "d"], ["2", "4", "4"]],
    ]
    assert found.tables[1].wrong[1] == [False, True, False]


def test_the_shape_of_a_single_number_says_so() -> None:
    boxes = boxes_of("", (3,), (), ("t",), ())
    assert boxes

    assert Page(draw_boxes(boxes, "softmax")).tables[1].rows == [["a single number"]]


def failed(verdict: Verdict, check: Check, **more: Any) -> str:
    return draw_failure(StepMarks("softmax", verdict, 0.0, 4.0, (check,), **more))


def test_a_wrong_step_has_its_message_traceback_likely_cause_and_printed_text() -> None:
    check = Check("journey", "runs", False, "it raised `ValueError`")
    drawn = failed(
        Verdict.RAISED, check, diagnosis=Diagnosis("mistake", "d", "You divide."), printed="<hi>", traceback="line 3"
    )

    assert re.findall(r"<p[ >].*?</p>|<pre.*?</pre>", drawn) == [
        '<p><span class="attn-case">case journey:</span> it raised <code>ValueError</code></p>',
        "<p><strong>Likely cause.</strong> You divide.</p>",
        '<pre class="attn-text" tabindex="0">line 3</pre>',
        '<p class="attn-printed">Your code printed:</p>',
        '<pre class="attn-text" tabindex="0">&lt;hi&gt;</pre>',
    ]


def test_a_wrong_step_has_its_picture_or_its_shapes() -> None:
    view = view_of(Picture("keys", EXPECTED, EXPECTED * 2, ("tq", "tk")))
    shapes = boxes_of("keys", (4,), (3,), ("t",), ("",))

    assert draw_view(view, "softmax") in failed(
        Verdict.WRONG_VALUES, Check("journey", "values", False, "no", picture=view)
    )
    assert shapes
    assert draw_boxes(shapes, "softmax") in failed(
        Verdict.WRONG_SHAPE, Check("journey", "shape", False, "no", boxes=shapes)
    )


LINE = "    weights = torch.softmax(scores, dim=0)"
SPOT = Spot("exercises/part1.py", 42, 14, len(LINE), LINE)
CAUSE = Diagnosis(
    "cure", "dimension", "Look at line 42.", "Look at line 42.", "Over the wrong one.", "With `dim=-1`.", SPOT
)


def caused(cause: Diagnosis = CAUSE, **more: Any) -> str:
    check = Check("journey", "values", False, "no", picture=view_of(Picture("keys", EXPECTED, WEIGHTS, ("tq", "tk"))))
    step = StepMarks("softmax", Verdict.WRONG_VALUES, 0.0, 4.0, (check,), cause, traceback=more.pop("traceback", None))
    return draw_failure(step, **more)


def test_the_cause_stands_above_the_picture() -> None:
    assert 0 < caused().index("Look at line 42.") < caused().index("attn-picture")


def test_a_cause_that_can_be_drawn_is_drawn_in_place_of_the_wrong_numbers() -> None:
    seen = Picture("whether a token changes", np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool), ("tq", "tk"))
    cause = Diagnosis("influence", "mixed", "Token 0 changes with token 1.", picture=view_of(seen))
    tables = Page(caused(cause)).tables

    assert tables[0].rows[1:] == [["0", "■", "□"], ["1", "□", "■"]]
    assert tables[1].wrong[1:] == [[False, False, True], [False, True, False]]


def test_what_is_meant_is_underlined_in_the_line_and_told_to_whoever_does_not_see_it() -> None:
    seen = re.sub(r'<span class="attn-sr">.*?</span>', "", caused())

    assert (
        "exercises/part1.py, line 42:</span> <code>weights = <mark>torch.softmax(scores, dim=0)</mark></code>" in seen
    )
    assert "(this is meant: </span>torch.softmax" in caused()


def test_a_line_that_is_meant_as_a_whole_is_not_underlined() -> None:
    drawn = caused(replace(CAUSE, spot=replace(SPOT, first=4)))

    assert f"<code>{LINE.strip()}</code>" in drawn


def test_a_line_that_the_traceback_shows_is_not_drawn_twice() -> None:
    assert caused(traceback=f"exercises/part1.py, line 42, in softmax\n{LINE}").count("torch.softmax") == 1


def test_each_further_rung_is_opened_after_the_last() -> None:
    assert (
        "<details><summary>What is wrong?</summary><p>Over the wrong one.</p>"
        "<details><summary>How to mend it</summary><p>With <code>dim=-1</code>.</p></details></details>"
    ) in caused()


@pytest.mark.parametrize(("rungs", "count"), [("where", 0), ("what", 1), ("how", 2)])
def test_a_course_says_how_far_the_cause_is_told(rungs: str, count: int) -> None:
    assert caused(rungs=rungs).count("<details>") == count


def test_a_relation_is_said_and_its_place_can_be_asked_for() -> None:
    drawn = caused(Diagnosis("relation", "transposed", "Transposed.", "Up to line 41.", "Transposed.", spot=SPOT))

    assert drawn.count("Transposed.") == 1
    assert "<summary>Where is it?</summary><p>Up to line 41.</p>" in drawn


@pytest.mark.parametrize("more", [True, False])
def test_another_mistake_after_this_one_is_announced(more: bool) -> None:
    assert ("There is more after that." in caused(replace(CAUSE, more=more))) == more


def test_nothing_of_a_cause_becomes_markup() -> None:
    spot = Spot(EVIL, 1, 4, 6, f"x = {EVIL}")
    drawn = caused(Diagnosis("cure", "name", EVIL, EVIL + "1", EVIL + "2", EVIL + "3", spot))

    assert "script" not in Page(drawn).names


def test_of_a_step_that_was_not_attempted_nothing_is_said() -> None:
    assert failed(Verdict.NOT_ATTEMPTED, Check("journey", "runs", False, "not written yet")) == ""


@pytest.mark.parametrize("dims", [("tq", EVIL), (EVIL, "tk")])
def test_no_text_becomes_markup(dims: tuple[str, str]) -> None:
    drawn = draw_view(view_of(Picture(EVIL, EXPECTED, -EXPECTED, dims, {EVIL: (EVIL, EVIL)})), EVIL)

    assert "script" not in Page(drawn).names
    assert "<script" not in drawn


def test_what_stands_between_backticks_is_code_and_all_else_is_text() -> None:
    assert coded("Use `dim=-1`, not <b>.") == "Use <code>dim=-1</code>, not &lt;b&gt;."

"""Views of pictures: which part is shown, which cells are wrong, how numbers are written; and all of it as JSON."""

import numpy as np
import pytest

from autograder.authoring.trial import text_with
from autograder.check import check
from autograder.classroom.results import LARGEST, to_bytes
from autograder.course.answer import Array
from autograder.course.model import Words
from autograder.exam.model import Exam
from autograder.exam.syllabus import SyllabusPart
from autograder.grading.pictures import CHANGED, Picture, View, view_of, write_number
from autograder.runner.processes import Runner
from autograder.submission.model import Source, Submission
from autograder.workspace import COURSE

WORDS = Words({"t": "token", "tq": "token", "h": "head"})


def seen(expected: Array, yours: Array, *dims: str, tokens: tuple[str, ...] = (), columns: int = 8) -> View:
    return view_of(Picture("", expected, yours, dims, {"token": tokens}, WORDS)).narrowed(columns)


def one_wrong(shape: tuple[int, ...], *at: int) -> View:
    """A tensor of ones in which a single number is off."""
    yours = np.ones(shape)
    yours[at] = 3.0
    return seen(np.ones(shape), yours, *(f"d{number}" for number in range(len(shape))))


# What is shown


def test_of_a_large_matrix_the_first_rows_and_columns_are_shown() -> None:
    view = one_wrong((12, 20), 0, 0)

    assert (view.row, view.column, view.expected.shape) == (0, 0, (8, 8))
    assert view.left_out == "the first rows and columns of a larger tensor"


def test_where_nothing_wrong_would_be_seen_the_part_moves_to_the_first_wrong_number() -> None:
    view = one_wrong((12, 20), 10, 15)

    assert (view.row, view.column) == (4, 12)
    assert view.rows == tuple(map(str, range(4, 12)))
    assert view.columns == tuple(map(str, range(12, 20)))
    assert view.left_out == "from row 4 and column 12 on, a part of a larger tensor"
    assert np.argwhere(view.wrong).tolist() == [[6, 3]]


def test_fewer_columns_are_shown_where_there_is_less_room() -> None:
    view = seen(np.ones((2, 6)), np.zeros((2, 6)), columns=3)

    assert view.columns == ("0", "1", "2")


def test_of_a_batch_the_matrix_that_is_furthest_off_is_shown_and_named() -> None:
    view = one_wrong((2, 3, 4, 5), 1, 2, 0, 0)

    assert (view.where, view.heading, view.shape) == ((1, 2), "d0 1, d1 2", (2, 3, 4, 5))


def test_a_slice_is_named_by_its_word() -> None:
    assert seen(np.ones((2, 2, 2, 2)), np.zeros((2, 2, 2, 2)), "d", "h", "t", "t").heading == "d 0, head 0"


@pytest.mark.parametrize("dims", [(), ("t", "d")], ids=["without names", "of tokens"])
def test_rows_are_called_by_their_labels_where_each_has_one(dims: tuple[str, ...]) -> None:
    matrix = np.ones((2, 2))

    assert seen(matrix, matrix, *dims, tokens=("Your", "step")).rows == ("Your", "step")
    assert seen(matrix, matrix, *dims, tokens=("Your",)).rows == ("0", "1")


def test_labels_are_for_slices_of_their_word_alone() -> None:
    assert seen(np.ones((2, 2)), np.ones((2, 2)), "h", "d", tokens=("Your", "step")).rows == ("0", "1")


def test_a_vector_has_no_names_of_rows_and_a_number_no_columns() -> None:
    assert seen(np.ones(3), np.zeros(3), "t").rows == ()
    assert list(seen(np.array(1.0), np.array(2.0)).columns) == []


def test_what_differs_by_rounding_alone_is_not_wrong() -> None:
    view = seen(np.array([100.0, 0.0, np.nan]), np.array([100.001, 0.009, np.nan]), "t")

    assert view.wrong.tolist() == [[False, False, False]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", [1e308, -1e308, np.inf, -np.inf, np.nan])
def test_the_largest_numbers_there_are_overflow_in_silence(odd: float) -> None:
    view = seen(np.array([1e308, -np.inf, 1.0]), np.array([odd, odd, 1.0]), "t")

    assert view.wrong[0, 2] == np.False_
    assert view.difference.shape == (1, 3)


@pytest.mark.parametrize(
    ("value", "largest", "written"),
    [
        (0.123, 1.0, "0.12"),
        (-0.001, 1.0, "0.00"),
        (12.34, 250.0, "12.3"),
        (1234.5, 1e4, "1234"),
        (1e6, 1e6, "1e+06"),
        (np.nan, 1.0, "nan"),
        (-np.inf, 1.0, "-inf"),
    ],
)
def test_a_number_has_as_many_decimals_as_fit_beside_the_others(value: float, largest: float, written: str) -> None:
    assert write_number(value, largest) == written


# Sums


def test_sums_are_those_of_the_whole_rows() -> None:
    expected = np.full((2, 20), 0.05)

    assert seen(expected, expected * 2).sums == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize(
    ("expected", "yours"),
    [
        pytest.param([[0.5, 0.5]], [[0.25, 0.75]], id="all are right"),
        pytest.param([[0.5, 0.4]], [[0.25, 0.5]], id="the expected ones are no weights"),
        pytest.param([[1.5, -0.5]], [[0.25, 0.5]], id="an expected one is negative"),
        pytest.param([[1.0]], [[0.5]], id="a row of one number"),
        pytest.param([[0.5, 0.5]], [[np.nan, 0.5]], id="one of yours is no number"),
    ],
)
def test_there_are_no_sums_where_they_would_say_nothing(expected: list[list[float]], yours: list[list[float]]) -> None:
    assert seen(np.array(expected), np.array(yours)).sums == ()


# Owners


def test_scrambled_heads_show_the_token_of_each_number() -> None:
    tokens_first = np.arange(24.0).reshape(1, 4, 3, 2)  # b t h hd
    heads_first = tokens_first.swapaxes(1, 2)
    view = seen(heads_first, tokens_first.reshape(1, 3, 4, 2), "b", "h", "t", "hd")

    assert view.where == (0, 0)
    assert view.owners
    assert view.owners.by == "token"
    assert view.owners.yours.tolist() == [[0, 0], [0, 0], [0, 0], [1, 1]]


def test_where_every_token_is_in_its_row_the_head_of_each_number_is_shown() -> None:
    heads = np.arange(12.0).reshape(2, 3, 2)

    view = seen(heads, heads[::-1], "h", "t", "hd")

    assert view.owners
    assert (view.owners.by, view.owners.expected[0, 0], view.owners.yours[0, 0]) == ("head", 0, 1)


def test_an_owner_is_called_by_its_label() -> None:
    numbers = np.arange(4.0).reshape(2, 2)
    view = seen(numbers, numbers[::-1], "t", "hd", tokens=("Your", "step"))

    assert [view.owner_name(owner) for owner in range(2)] == ["Your", "step"]


def test_without_a_word_an_owner_is_a_row_a_column_or_a_slice() -> None:
    numbers = np.arange(8.0).reshape(2, 2, 2)
    others = {"slice": numbers[::-1], "row": numbers[:, ::-1], "column": numbers[..., ::-1]}

    for word, yours in others.items():
        owners = seen(numbers, yours, "a", "b", "c").owners
        assert owners
        assert owners.by == word


def test_other_numbers_have_no_owners() -> None:
    assert seen(np.eye(3), np.eye(3) * 2, "t", "d").owners is None


def test_a_tensor_that_was_written_to_has_no_sums_and_no_owners_that_would_be_right() -> None:
    weights = np.array([[0.1, 0.9], [0.3, 0.7]])
    view = view_of(Picture("", weights, weights.T, ("tq", "tk"), titles=CHANGED))

    assert (view.sums, view.owners) == ((), None)


def test_marks_in_which_everything_is_wrong_stay_far_below_their_limit(runner: Runner, practice: Exam) -> None:
    wrong = Submission("ada", {part.name: wrong_in_all_steps(practice, part) for part in practice.syllabus.parts})
    marks = check(practice, wrong, practice.syllabus.steps, runner)

    content = to_bytes(marks)

    assert not any(step.passed for part in marks.parts for step in part.steps)
    assert content.count(b'"picture"') > 10
    assert len(content) < LARGEST / 2


def wrong_in_all_steps(exam: Exam, part: SyllabusPart) -> Source:
    """Return a module that makes the first known mistake of each step."""
    mistakes = (exam.key.known_wrong[step.path][0] for step in part.steps)
    return Source.module(
        f"{part.name}.py", "\n\n".join(text_with(COURSE.course, part.name, mistake) for mistake in mistakes)
    )

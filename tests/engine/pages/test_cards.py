"""The cards of the steps, as Markdown."""

import re
from dataclasses import replace

import pytest

from autograder.exam.syllabus import Syllabus, load
from autograder.pages.cards import cards
from autograder.pages.docstrings import arguments_of, prose
from autograder.workspace import COURSE, Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return load(course.syllabus)


def card_of(name: str) -> str:
    """Return what stands between the heading of a step and the next one."""
    found = re.search(rf"^### Step \d+: `{name}`(.*?)(?=^##|\Z)", cards(), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_every_step_has_one_card_in_the_order_of_the_course(syllabus: Syllabus) -> None:
    assert re.findall(r"^### Step \d+: `(\w+)`", cards(), re.MULTILINE) == [step.name for step in syllabus.steps]


def test_a_part_is_headed_by_its_title_and_its_points() -> None:
    assert (
        "## Part 4: Several perspectives {#part4}\n\n9 steps, 25 points, in `exercises/part4_multihead.py`." in cards()
    )


def test_a_card_names_what_is_checked_where_that_is_more_than_one_result() -> None:
    assert "Checked: `W_query` (d_in, d_out); `W_key` (d_in, d_out);" in card_of("SelfAttentionV1")
    assert "; context of the tokens in reverse order (..., t, d_out)." in card_of("SelfAttentionV1")


def test_a_card_lists_what_points_are_given_for() -> None:
    assert "Points: values 1.01, batch 0.5," in card_of("project_qkv")
    assert "one sentence, as in the lectures, earns all other points." in card_of("project_qkv")


def test_a_number_has_no_shape() -> None:
    assert "Checked: `variance`; " in card_of("dot_product_variance")


@pytest.mark.parametrize("name", ["apply_dropout", "context_vectors"])
def test_where_the_signature_says_all_nothing_is_added(name: str) -> None:
    assert "Checked" not in card_of(name)


def test_a_tensor_of_any_shape_is_called_so() -> None:
    assert "scale_scores(scores: (any shape), d_k: int) -> (any shape)`\n" in card_of("scale_scores")
    assert "keep: (any shape, True or False)" in card_of("apply_dropout")


def test_a_card_says_what_is_not_allowed() -> None:
    assert "Not allowed: torch's own attention." in card_of("merge_heads")
    assert "Not allowed: torch's own attention, `vmap`." in card_of("self_attention_loops")
    assert "Not allowed: torch's own attention, `softmax`, `log_softmax`," in card_of("softmax")


def test_a_card_of_a_step_that_forbids_nothing_is_silent_about_it(
    monkeypatch: pytest.MonkeyPatch, syllabus: Syllabus
) -> None:
    part = syllabus.parts[0]
    free = replace(part, steps=tuple(replace(step, forbids=()) for step in part.steps))
    course = replace(COURSE.course, forbids=(), forbidden_words="")
    monkeypatch.setattr("autograder.pages.cards.load", lambda _: Syllabus((free,)))
    monkeypatch.setattr(Workspace, "course", course)

    assert "Not allowed" not in cards()


def test_the_stub_stands_in_a_box() -> None:
    box = card_of("dot_product").partition('??? stub "The stub of dot_product"')[2]

    assert '    raise NotImplementedError("step 1: dot_product")' in box


def test_the_last_stub_of_a_part_is_whole() -> None:
    assert 'raise NotImplementedError("step 9: MultiHeadAttention")' in card_of("MultiHeadAttention")


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        pytest.param("Return the\nsum.", "Return the sum.", id="lines of one sentence are joined"),
        pytest.param("a: one.\nb, c: two,\nthree.", "a: one.  \nb, c: two, three.", id="an entry begins a line"),
        pytest.param("x: one.\nReturns two.", "x: one.  \nReturns two.", id="so does what is returned"),
        pytest.param("One.\n\nTwo.", "One.\n\nTwo.", id="paragraphs stay apart"),
        pytest.param(
            "x: of a batch of\nsentences: all.", "x: of a batch of sentences: all.", id="no other word begins one"
        ),
        pytest.param(
            "x: one. y: two\nand three.", "x: one.  \ny: two and three.", id="an entry may begin within a line"
        ),
    ],
)
def test_a_docstring_becomes_prose(docstring: str, expected: str) -> None:
    assert prose(docstring, ["a", "b", "c", "x", "y"]) == expected


def test_the_arguments_of_a_step_are_read_from_its_signature() -> None:
    assert arguments_of("F(d_in: int, bias: bool = False); forward(x: (t d_in)) -> (t d_out)") == ["d_in", "bias", "x"]

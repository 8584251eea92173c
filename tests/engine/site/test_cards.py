"""The cards of the steps, as Markdown."""

import re

import pytest

from autograder.exam.syllabus import Syllabus, load
from autograder.site.cards import cards, laid_out
from autograder.site.docstrings import prose
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return load(course.syllabus)


def card_of(name: str) -> str:
    """Return what stands between the heading of a step and the next one."""
    found = re.search(rf"^### \d+\.\d+ `{name}`(.*?)(?=^##|\Z)", cards(), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_every_step_has_one_card_in_the_order_of_the_course(syllabus: Syllabus) -> None:
    assert re.findall(r"^### \d+\.\d+ `(\w+)`", cards(), re.MULTILINE) == [step.name for step in syllabus.steps]


def test_a_card_names_what_is_checked_where_that_is_more_than_one_result() -> None:
    assert "Checked: `W_query` (d_in, d_out); `W_key` (d_in, d_out);" in card_of("SelfAttentionV1")
    assert "; context of the tokens in reverse order (..., t, d_out)." in card_of("SelfAttentionV1")


def test_a_card_lists_what_points_are_given_for() -> None:
    assert "- 1.01 for values\n- 0.50 for batch: code that takes several sentences at once;" in card_of("project_qkv")


def test_a_card_says_what_is_not_allowed() -> None:
    assert "Not allowed: torch's own attention." in card_of("merge_heads")
    assert "Not allowed: torch's own attention, `vmap`." in card_of("self_attention_loops")
    assert "Not allowed: torch's own attention, `softmax`, `log_softmax`," in card_of("softmax")


def test_the_stub_stands_in_a_box() -> None:
    box = card_of("dot_product").partition('??? stub "The stub of dot_product"')[2]

    assert '    raise NotImplementedError("step 1: dot_product")' in box


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


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        pytest.param("mask(t: int) -> (t t)", "mask(t: int) -> (t t)", id="a short one stays in a line"),
        pytest.param(
            "Model(d: int, made_by: Callable[..., nn.Module]); forward(x: (t d)) -> (t)",
            "Model(\n    d: int,\n    made_by: Callable[..., nn.Module],\n)\nforward(x: (t d)) -> (t)",
            id="a long one has an argument a line",
        ),
        pytest.param(
            "project(x: (... d_in), weights: (d_in d_out)) -> ((... d_k), (t))",
            "project(\n    x: (... d_in),\n    weights: (d_in d_out),\n) -> ((... d_k), (t))",
            id="and then its result",
        ),
    ],
)
def test_a_signature_is_laid_out_for_a_narrow_page(signature: str, expected: str) -> None:
    assert laid_out(signature) == expected

"""The cards of the steps, as Markdown."""

import re
from dataclasses import replace
from html import unescape

import pytest

from autograder.exam.syllabus import Syllabus, load
from autograder.site.cards import cards, laid_out
from autograder.site.docstrings import arguments_of, definitions, prose
from autograder.workspace import COURSE, Workspace


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


def test_a_step_is_numbered_within_its_part_in_its_heading_and_in_the_contents() -> None:
    assert (
        "### 2.3 `attention_scores` {#part2-attention_scores data-toc-label='2.3 attention_scores' .step}\n" in cards()
    )


def test_a_part_is_headed_by_its_title_and_its_points() -> None:
    assert (
        "## Part 4: Several perspectives {#part4}\n\n9 steps, 25 points, in `exercises/part4_multihead.py`." in cards()
    )


def test_a_card_names_what_is_checked_where_that_is_more_than_one_result() -> None:
    assert "Checked: `W_query` (d_in, d_out); `W_key` (d_in, d_out);" in card_of("SelfAttentionV1")
    assert "; context of the tokens in reverse order (..., t, d_out)." in card_of("SelfAttentionV1")


def test_a_card_lists_what_points_are_given_for() -> None:
    assert "- 1.01 for values\n- 0.50 for batch: code that takes several sentences at once;" in card_of("project_qkv")


def test_a_number_has_no_shape() -> None:
    assert "Checked: `variance`; " in card_of("dot_product_variance")


@pytest.mark.parametrize("name", ["apply_dropout", "context_vectors"])
def test_where_the_signature_says_all_nothing_is_added(name: str) -> None:
    assert "Checked" not in card_of(name)


def test_a_tensor_of_any_shape_is_called_so() -> None:
    assert "\n    scores: (any shape),\n    d_k: int,\n) -> (any shape)<" in unescape(card_of("scale_scores"))
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
    monkeypatch.setattr("autograder.site.cards.load", lambda _: Syllabus((free,)))
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


def test_what_a_docstring_explains_are_terms_of_a_list() -> None:
    docstring = "Return the sum.\n\nx: one. a, b: two\nmore.\nReturns three."

    assert definitions(docstring, ["a", "b", "x"]) == (
        "Return the sum.\n\n`x`\n:   one.\n\n`a`, `b`\n:   two more.\n\nReturns three."
    )


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


@pytest.mark.parametrize(
    "site",
    ["mkdocs.yml", "autograder/authoring/templates/new_course/mkdocs.yml", "tests/courses/convolution/mkdocs.yml"],
)
@pytest.mark.parametrize("extension", ["def_list", "pymdownx.superfences"])
def test_every_site_knows_what_cards_are_written_in(site: str, extension: str) -> None:
    assert f"  - {extension}\n" in (COURSE.root / site).read_text(encoding="utf-8")


def test_a_sentence_that_begins_a_line_belongs_to_no_term() -> None:
    assert (
        definitions("x: one. It is\nalone.\nSource: a paper.", ["x"])
        == "`x`\n:   one. It is alone.\n\nSource: a paper."
    )


def test_the_arguments_of_a_step_are_read_from_its_signature() -> None:
    assert arguments_of("F(d_in: int, bias: bool = False); forward(x: (t d_in)) -> (t d_out)") == ["d_in", "bias", "x"]

"""A whole model on one sheet: boxes with shapes that lead to lectures."""

import pytest
import torch

from autograder.course.course import Course
from autograder.workspace import COURSE
from course.attention.pages.model_sheet import Stop, model_sheet, stop

SCORES = Stop("scores", "(1, 4, 6, 6)", "heads_at_once.md#head_scores", "weight")


@pytest.fixture(autouse=True)
def course() -> Course:
    COURSE.course.at_home()
    return COURSE.course


def test_a_stop_leads_to_the_section_of_its_step() -> None:
    found = stop("norm", "part6_training.LayerNorm", torch.zeros(1, 6, 3))

    assert found == Stop("norm", "(1, 6, 3)", "transformer_block.md#layernorm", "plain")


def test_a_box_is_a_link_with_the_shape_and_the_colour_of_its_tensor() -> None:
    page = model_sheet({"attention": [SCORES]}, "one step").page

    assert "[**scores** <span>(1, 4, 6, 6)</span>](heads_at_once.md#head_scores){ .box .weight }" in page


def test_rows_stand_in_the_order_of_the_way_with_their_headings() -> None:
    text = model_sheet({"in": [SCORES], "out": [SCORES, SCORES]}, "three steps").text

    assert [line.strip(" -").split("]")[0] for line in text.splitlines()[2:]] == [
        "**in**",
        "[scores",
        "**out**",
        "[scores",
        "[scores",
    ]

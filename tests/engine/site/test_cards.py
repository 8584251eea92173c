"""The cards of the steps, as Markdown."""

import re

import pytest

from autograder.exam.syllabus import Syllabus, load
from autograder.site.cards import cards
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return load(course.syllabus)


def card_of(name: str) -> str:
    """Return what stands between the heading of a step and the next one."""
    found = re.search(rf"^### \d+\.\d+ `{name}`(.*?)(?=^##|\Z)", cards(), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_a_card_names_what_is_checked_where_that_is_more_than_one_result() -> None:
    assert "Checked: `W_query` (d_in, d_out); `W_key` (d_in, d_out);" in card_of("SelfAttentionV1")
    assert "; context of the tokens in reverse order (..., t, d_out)." in card_of("SelfAttentionV1")


def test_a_card_lists_what_points_are_given_for() -> None:
    assert "- 1.01 for values\n- 0.50 for batch: code that takes several sentences at once;" in card_of("project_qkv")

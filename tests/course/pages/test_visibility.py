"""The picture of what each token may see, and has to guess."""

import re

import torch

from course.attention.pages.visibility import sight

TOKENS = ("Your", "journey", "<starts>")
FUTURE = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])


def rows(page: str) -> list[list[str]]:
    """Return the words of each row of the table's body, the token to guess last."""
    body = page[page.index("<tbody>") :]
    return [re.findall(r">([^<>]+)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]


def test_each_query_sees_the_tokens_that_are_not_hidden_and_guesses_the_next_one() -> None:
    assert rows(sight(FUTURE, TOKENS, "a sentence").page) == [
        ["Your", "·", "·", "journey"],
        ["Your", "journey", "·", "&lt;starts&gt;"],
        ["Your", "journey", "&lt;starts&gt;", "?"],
    ]


def test_hidden_places_are_marked_as_hidden() -> None:
    assert sight(FUTURE, TOKENS, "a sentence").page.count('<td class="hidden">') == int(FUTURE.sum())


def test_what_is_seen_in_this_picture_alone_is_outlined() -> None:
    page = sight(FUTURE, TOKENS, "a sentence", new=torch.eye(3, dtype=torch.bool)).page

    assert page.count('class="seen new"') == 3
    assert "seen new" not in sight(FUTURE, TOKENS, "a sentence").page


def test_a_picture_is_named_by_its_caption() -> None:
    assert 'aria-label="a sentence"' in sight(FUTURE, TOKENS, "a sentence").page


def test_in_a_file_the_picture_is_a_table_of_words() -> None:
    assert "| Your | journey | · | **<starts>** |" in sight(FUTURE, TOKENS, "a sentence").text

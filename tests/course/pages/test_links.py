"""Pictures of which token's vector waits for which."""

import re

from course.attention.pages.links import chain, pairs

TOKENS = ("Your", "journey", "<starts>")


def numbers_in_circles(page: str) -> list[str]:
    return re.findall(r"<text[^>]*>(\d+)</text>", page)


def chosen_links(page: str) -> int:
    chosen = re.search(r'<g class="chosen">(.*?)</g>', page)
    assert chosen
    return chosen[1].count("<path")


def test_in_a_chain_each_state_is_ready_one_step_after_the_one_before() -> None:
    assert numbers_in_circles(chain(TOKENS, "a chain").page) == ["1", "2", "3"]


def test_a_chain_has_one_link_between_neighbours() -> None:
    assert chosen_links(chain(TOKENS, "a chain").page) == 2


def test_with_all_pairs_no_vector_waits_for_another_and_so_none_has_a_number() -> None:
    page = pairs(TOKENS, 1, "all pairs").page

    assert numbers_in_circles(page) == []
    assert page.count("<circle") == 3


def test_all_pairs_are_as_many_links_as_the_square_of_the_tokens() -> None:
    assert pairs(TOKENS, 1, "all pairs").page.count("<path") == 9


def test_the_links_of_the_chosen_token_end_above_it() -> None:
    page = pairs(TOKENS, 0, "all pairs").page
    chosen = page[page.index("chosen") :]

    assert re.findall(r'L(\d+) \d+"/>', chosen) == ["31", "31", "31"]


def test_a_picture_is_named_by_its_caption() -> None:
    assert 'role="img" aria-label="a chain"' in chain(TOKENS, "a chain").page


def test_tokens_are_text_and_never_markup() -> None:
    assert "&lt;starts&gt;" in pairs(TOKENS, 1, "all pairs").page


def test_in_a_file_a_chain_is_a_row_of_tokens() -> None:
    assert "Your → journey → <starts>" in chain(TOKENS, "a chain").text

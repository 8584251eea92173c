"""On the page of all steps a word leaves the cards that hold it."""

import pytest
from opened_site import Open
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

STEPS = "reference/steps/"


@pytest.fixture
def page(open_site: Open) -> Page:
    return open_site(STEPS).page


def test_what_is_typed_leaves_the_cards_that_hold_every_word(page: Page) -> None:
    page.get_by_label("Find a step").fill("softmax scores")

    cards = page.locator("h3.step")
    shown = [card.inner_text() for card in cards.all() if card.is_visible()]
    assert any("attention_weights" in card for card in shown)
    assert 0 < len(shown) < cards.count()
    expect(page.get_by_role("status").first).to_have_text(f"{len(shown)} of {cards.count()}")


def test_a_link_to_a_card_shows_it_whatever_is_typed(page: Page) -> None:
    page.get_by_label("Find a step").fill("no card has these words")
    card = page.locator("h3.step").last
    expect(card).to_be_hidden()

    page.evaluate("id => { location.hash = id }", card.get_attribute("id"))

    expect(card).to_be_in_viewport()
    expect(page.get_by_label("Find a step")).to_have_value("")

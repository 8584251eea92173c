"""The order of the lectures, and what a browser remembers of those that were read."""

import re

import pytest
from opened_site import Opened
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

START = "Start here: Why attention"


def test_a_lecture_that_was_read_to_its_end_is_ticked_and_the_next_one_is_offered(first_visit: Opened) -> None:
    read_to_the_end(first_visit, "lectures/why_attention/")

    page = first_visit.visit("")

    expect(page.locator(".start")).to_contain_text(re.compile(r"You have read 1 of \d+ lectures"))
    expect(page.locator(".start a")).to_have_text("Attention with nothing to learn")
    marks = page.locator(".is-read").evaluate_all("all => all.map(one => getComputedStyle(one, '::after').content)")
    assert {*marks} == {'"\N{NO-BREAK SPACE}✓" / " (read)"'}


def test_what_was_read_is_forgotten_on_demand(first_visit: Opened) -> None:
    read_to_the_end(first_visit, "lectures/scores/")
    page = first_visit.visit("")
    page.get_by_role("button", name="Forget this").click()

    expect(page.locator(".start")).to_contain_text(START)
    expect(page.locator(".is-read")).to_have_count(0)


def read_to_the_end(window: Opened, lecture: str) -> None:
    page = window.visit(lecture)
    page.locator("article > :last-child").scroll_into_view_if_needed()
    expect(page.locator(".md-nav__link.is-read")).not_to_have_count(0)

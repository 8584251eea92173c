"""What all widgets share: when they start, and how they say what is seen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from . import tags

pytestmark = pytest.mark.slow

TAG = tags.VIEW_TRANSPOSE

SAY_TWICE = """async () => {
    const widget = document.createElement("view-transpose");
    const words = () => [...widget.says.children].map(span => span.textContent);
    widget.say("first");
    widget.say("second");
    const atOnce = words();
    await new Promise(resume => setTimeout(resume, 400));
    return [atOnce, words()];
}"""


def test_a_widget_starts_when_the_reader_comes_near(open_widget: Callable[..., Page]) -> None:
    page = open_widget(f"{TAG}<div style='height: 5000px'></div>{TAG}")

    page.mouse.wheel(0, 5000)

    expect(page.get_by_role("slider", name="Number")).to_have_count(2)


def test_a_sentence_is_seen_at_once_and_heard_after_a_pause(open_widget: Callable[..., Page]) -> None:
    at_once, after_a_pause = open_widget(TAG).evaluate(SAY_TWICE)

    assert at_once == ["second", "first"]
    assert after_a_pause == ["second", "second"]

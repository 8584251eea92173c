"""A quiz is made of plain HTML: every answer says why it is right or wrong."""

import pytest
from lxml import html

from autograder.site.quiz import quiz, right, wrong

QUIZ = quiz(
    "What is `√4` as $\\sqrt{4}$?",
    wrong("4 < 5", "That is the number itself."),
    right("2", "2 × 2 = 4."),
)


def test_one_answer_can_be_chosen_at_a_time() -> None:
    inputs = html.fragment_fromstring(QUIZ.page).xpath("//input")

    assert {field.get("type") for field in inputs} == {"radio"}
    assert len({field.get("name") for field in inputs}) == 1
    assert len({field.get("id") for field in inputs}) == 2


def test_every_answer_is_labelled_and_has_its_reason_beside_it() -> None:
    choices = html.fragment_fromstring(QUIZ.page).xpath("//div[contains(@class, 'choice')]")

    assert [choice.xpath("./label/@for") for choice in choices] == [choice.xpath("./input/@id") for choice in choices]
    assert [" ".join(choice.text_content().split()) for choice in choices] == [
        "4 < 5No. That is the number itself.",
        "2Right. 2 × 2 = 4.",
    ]


@pytest.mark.parametrize("choices", [(wrong("a", "b"),), (right("a", "b"), right("c", "d"))])
def test_a_question_has_exactly_one_right_answer(choices: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="exactly one right answer"):
        quiz("Which?", *choices)  # type: ignore[arg-type]


def test_a_link_to_a_page_leads_there_on_the_site_and_in_the_file() -> None:
    drawn = quiz("Which?", right("a", "See [scores](scores.md#attention_scores)."), wrong("b", "No."))

    assert '<a href="../scores/#attention_scores">scores</a>' in drawn.page
    assert "[scores](scores.md#attention_scores)" in drawn.text


def test_who_reads_the_file_does_not_see_the_answer_at_once() -> None:
    question, _, answer = quiz("Which?", wrong("a", "Too small."), right("b", "It fits.")).text.partition("<details>")

    assert question == "**Which?**\n\n1. a\n2. b\n\n"
    assert "1. No. Too small.\n2. Right. It fits." in answer

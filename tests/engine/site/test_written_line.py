"""A box to write a line in holds what the reference answers, and of the known mistakes what they answer and are told."""

import json
from typing import Any

import pytest
import torch
from lxml import html

from autograder.site.written_line import write
from autograder.workspace import COURSE

STEP = "part2_trainable.scale_scores"


def attributes(**options: Any) -> dict[str, Any]:
    (element,) = html.fragment_fromstring(write(STEP, "Scale them.", **options).page).xpath("//write-line")
    return {name: json.loads(value) for name, value in element.attrib.items() if value[:1] in "[{"}


def test_a_case_has_the_inputs_and_what_the_reference_answers() -> None:
    (case,) = attributes()["cases"]
    scores, expected = case["given"]["scores"], case["expected"][0]

    assert case["name"] == "journey"
    assert case["given"]["d_k"] == 2
    assert scores["shape"] == expected["shape"] == [6, 6]
    torch.testing.assert_close(torch.tensor(expected["numbers"]), torch.tensor(scores["numbers"]) / 2**0.5)


def test_each_mistake_has_its_sentence_and_its_answer_to_each_case() -> None:
    given = attributes(cases=("journey", "random"))
    says = next(one.says for one in COURSE.course.mistakes("part2_trainable") if one.id == "divided_by_d_k")
    place = given["says"].index(says)

    for case in given["cases"]:
        (answer,) = case["answers"][place]
        scores = torch.tensor(case["given"]["scores"]["numbers"])
        torch.testing.assert_close(torch.tensor(answer["numbers"]), scores / case["given"]["d_k"])


def test_a_mistake_that_answers_as_the_reference_does_is_left_out() -> None:
    in_place = next(one.says for one in COURSE.course.mistakes("part2_trainable") if one.id == "scaled_in_place")

    assert in_place not in attributes()["says"]


def test_a_case_that_the_step_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(ValueError, match="scale_scores has no case 'jorney'; it has 'journey', 'random'"):
        write(STEP, "Scale them.", cases=("jorney",))

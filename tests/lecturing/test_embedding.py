"""A widget on a page: the numbers that the page computed, and words for readers without scripts."""

import json

import torch
from lxml import html

from autograder.lecturing.embedding import widget

DRAWN = widget(
    "weighted-sum",
    'It says "so" & more.',
    query=torch.tensor([0.1, 1.0]),
    labels=["a", "b's"],
    d_k=2,
    examples=[{"name": "one", "inputs": torch.tensor([[0.43]])}],
)


def test_attributes_are_json_of_the_pages_own_numbers() -> None:
    (element,) = html.fragment_fromstring(DRAWN.page).xpath("//weighted-sum")

    assert json.loads(element.get("query")) == [0.1, 1.0]
    assert json.loads(element.get("labels")) == ["a", "b's"]
    assert element.get("d-k") == "2"
    assert json.loads(element.get("examples")) == [{"name": "one", "inputs": [[0.43]]}]


def test_the_words_stand_inside_the_widget_until_it_starts() -> None:
    (element,) = html.fragment_fromstring(DRAWN.page).xpath("//weighted-sum")

    assert element.text_content() == 'It says "so" & more.'


def test_who_reads_the_file_gets_the_words() -> None:
    assert DRAWN.text == 'It says "so" & more.\n'

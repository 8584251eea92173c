"""A widget on a page: the numbers that the page computed, and words for readers without scripts."""

import json

import pytest
import torch
from lxml import html

from autograder.course.course import Widget
from autograder.site.embedding import widget

KNOWN = {
    "causal-mask": Widget(needs=("scores",)),
    "matrix-products": Widget(needs=("examples", "w_query", "w_key", "w_value")),
    "softmax-temperature": Widget(needs=("scores", "labels"), takes=("title",)),
}

DRAWN = widget(
    KNOWN,
    "matrix-products",
    'It says "so" & more.',
    examples=[{"name": "b's", "inputs": torch.tensor([[0.43]])}],
    w_query=torch.tensor([0.1, 1.0]),
    w_key=[["a"]],
    w_value=2,
)


def test_attributes_are_json_of_the_pages_own_numbers() -> None:
    (element,) = html.fragment_fromstring(DRAWN.page).xpath("//matrix-products")

    assert json.loads(element.get("w-query")) == [0.1, 1.0]
    assert json.loads(element.get("w-key")) == [["a"]]
    assert element.get("w-value") == "2"
    assert json.loads(element.get("examples")) == [{"name": "b's", "inputs": [[0.43]]}]


def test_a_widget_that_does_not_exist_is_told() -> None:
    with pytest.raises(ValueError, match="there is no widget 'weighted-summ'; there are causal-mask"):
        widget(KNOWN, "weighted-summ", "Words.")


def test_attributes_that_a_widget_lacks_or_does_not_know_are_told() -> None:
    with pytest.raises(ValueError, match=r"softmax-temperature lacks or does not know \['scores', 'scors'\]"):
        widget(KNOWN, "softmax-temperature", "Words.", scors=[0.1], labels=["a"])

"""The trained head that opens the first lectures does with a sentence what they say."""

import pytest
import torch

from course.attention.pages.trained_words import ReadSentence, trained_sentence
from solutions.part2_trainable import context_vectors
from solutions.part3_causal import causal_attention_weights

BAG, ROOM = trained_sentence("the bag was light"), trained_sentence("the room was light")


def test_a_word_with_two_meanings_has_one_embedding_and_two_contexts() -> None:
    assert torch.equal(BAG.inputs[-1], ROOM.inputs[-1])
    assert torch.cosine_similarity(BAG.contexts[-1], ROOM.contexts[-1], dim=0) < 0.2


@pytest.mark.parametrize(
    ("light", "like"), [(BAG, "the box was heavy"), (ROOM, "the street was dark")], ids=["bag", "room"]
)
def test_each_of_them_points_where_a_word_that_is_used_like_it_points(light: ReadSentence, like: str) -> None:
    assert torch.cosine_similarity(light.contexts[-1], trained_sentence(like).contexts[-1], dim=0) > 0.98


@pytest.mark.parametrize(("read", "follows"), [(BAG, "to"), (ROOM, "at")], ids=["bag", "room"])
def test_it_looks_at_the_noun_and_knows_what_follows(read: ReadSentence, follows: str) -> None:
    assert read.weights[-1].argmax() == 1
    assert read.weights[-1, 1] > 0.6
    assert read.likeliest()[0] == follows
    assert read.likeliest()[1] > 0.9


def test_only_the_key_of_the_noun_points_where_the_query_points() -> None:
    assert (BAG.keys @ BAG.queries[-1] > 0).tolist() == [False, True, False, False]


def test_it_is_the_attention_that_students_write() -> None:
    weights = causal_attention_weights(BAG.queries @ BAG.keys.T, 2)

    torch.testing.assert_close(BAG.weights, weights)
    torch.testing.assert_close(BAG.contexts, context_vectors(weights, BAG.values))
    assert BAG.next.sum(dim=-1).tolist() == pytest.approx([1.0] * 4)

"""The curriculum: which steps there are, what they are worth, and what they forbid."""

import pytest

from autograder.exam.build import make_syllabus
from autograder.exam.syllabus import Syllabus
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return make_syllabus(course.course)


def test_the_steps_are_those_of_the_curriculum(syllabus: Syllabus) -> None:
    assert [step.path for step in syllabus.steps] == [
        "part1_simplified.dot_product",
        "part1_simplified.attention_scores",
        "part1_simplified.softmax",
        "part1_simplified.context_vector",
        "part1_simplified.simplified_self_attention",
        "part2_trainable.project_qkv",
        "part2_trainable.scores_for_query",
        "part2_trainable.attention_scores",
        "part2_trainable.scale_scores",
        "part2_trainable.attention_weights",
        "part2_trainable.context_vectors",
        "part2_trainable.scaled_dot_product_attention",
        "part2_trainable.dot_product_variance",
        "part2_trainable.SelfAttentionV1",
        "part2_trainable.SelfAttentionV2",
        "part2_trainable.copy_weights",
        "part2_trainable.self_attention_loops",
        "part2_trainable.self_attention_columns",
        "part3_causal.causal_mask",
        "part3_causal.mask_scores",
        "part3_causal.causal_attention_weights",
        "part3_causal.renormalized_weights",
        "part3_causal.apply_dropout",
        "part3_causal.CausalAttention",
        "part4_multihead.concat_heads",
        "part4_multihead.head_dim",
        "part4_multihead.split_heads",
        "part4_multihead.group_by_head",
        "part4_multihead.head_scores",
        "part4_multihead.head_weights",
        "part4_multihead.head_context",
        "part4_multihead.merge_heads",
        "part4_multihead.MultiHeadAttention",
        "part5_inference.causal_mask_with_past",
        "part5_inference.KVCache",
        "part5_inference.attend_with_cache",
        "part5_inference.repeat_kv",
        "part5_inference.grouped_query_attention",
        "part5_inference.rotate",
        "part5_inference.latent_attention",
        "part5_inference.absorbed_scores",
        "part5_inference.online_softmax_stats",
        "part5_inference.flash_attention",
        "part5_inference.sliding_window_mask",
        "part5_inference.cross_attention",
        "part6_training.LayerNorm",
        "part6_training.FeedForward",
        "part6_training.TransformerBlock",
        "part6_training.TinyGPT",
        "part6_training.next_token_loss",
        "part6_training.train_step",
        "part6_training.generate",
        "part6_training.attention_maps",
    ]


def test_every_part_has_25_points(syllabus: Syllabus) -> None:
    assert [part.points for part in syllabus.parts] == [25.0] * 6


def test_torch_s_own_softmax_is_forbidden_in_the_step_that_writes_it(syllabus: Syllabus) -> None:
    assert {"softmax", "log_softmax"} <= set(syllabus.part("part1_simplified").step("softmax").forbids)


def test_torch_s_own_attention_is_forbidden_in_every_step_of_part_2(syllabus: Syllabus) -> None:
    for step in syllabus.part("part2_trainable").steps:
        assert {"scaled_dot_product", "MultiheadAttention"} <= set(step.forbids), step.name

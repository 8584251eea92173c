"""The syllabus as plain data: what students see of the course, joined from solutions and course data."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.exam.setting import make_syllabus
from autograder.exam.syllabus import Syllabus, from_json, load, to_json
from autograder.workspace import Workspace


@pytest.fixture(scope="module")
def syllabus(course: Workspace) -> Syllabus:
    return make_syllabus(course.course)


def test_json_is_read_as_it_was_written(syllabus: Syllabus) -> None:
    assert from_json(to_json(syllabus)) == syllabus


def test_a_file_is_read_as_it_was_written(syllabus: Syllabus, tmp_path: Path) -> None:
    path = tmp_path / "syllabus.json"
    path.write_text(to_json(syllabus), encoding="utf-8")
    assert load(path) == syllabus


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


def test_the_steps_of_every_part_are_numbered_from_1(syllabus: Syllabus) -> None:
    for part in syllabus.parts:
        assert [step.number for step in part.steps] == list(range(1, len(part.steps) + 1))


def test_the_points_of_a_part_are_those_of_its_steps(syllabus: Syllabus) -> None:
    assert [part.points for part in syllabus.parts] == [25.0] * 6


def test_the_lecture_of_a_step_is_a_page_and_an_anchor(syllabus: Syllabus) -> None:
    step = syllabus.part("part2_trainable").step("SelfAttentionV1")
    assert step.lecture == "docs/lectures/the_class_twice.md#selfattentionv1"


def test_a_returned_tuple_has_the_names_of_the_course_data(syllabus: Syllabus) -> None:
    step = syllabus.part("part2_trainable").step("project_qkv")
    assert step.returns == {"queries": "... d_k", "keys": "... d_k", "values": "... d_v"}


def test_torch_s_own_softmax_is_forbidden_in_the_step_that_writes_it(syllabus: Syllabus) -> None:
    assert {"softmax", "log_softmax"} <= set(syllabus.part("part1_simplified").step("softmax").forbids)


def test_torch_s_own_attention_is_forbidden_in_every_step_of_part_2(syllabus: Syllabus) -> None:
    for step in syllabus.part("part2_trainable").steps:
        assert {"scaled_dot_product", "MultiheadAttention"} <= set(step.forbids), step.name


def test_an_unknown_part_is_a_key_error(syllabus: Syllabus) -> None:
    with pytest.raises(KeyError, match="part9"):
        syllabus.part("part9")


def test_an_unknown_step_is_a_key_error(syllabus: Syllabus) -> None:
    with pytest.raises(KeyError, match="tokenize"):
        syllabus.part("part1_simplified").step("tokenize")


@pytest.mark.parametrize("schema", ["attn-syllabus/2", "attn-exam/1", None])
def test_another_schema_is_refused_by_name(syllabus: Syllabus, schema: str | None) -> None:
    data = json.loads(to_json(syllabus)) | {"schema": schema}
    with pytest.raises(ValueError, match=rf"expected a syllabus of schema attn-syllabus/1, found {schema!r}"):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"schema": "attn-syllabus/1"}', '{"schema": "attn-syllabus/1", "parts": [{}]}']
)
def test_what_has_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is no syllabus"):
        from_json(text)


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        from_json("no syllabus")


def test_a_syllabus_and_an_exam_are_read_without_torch(course: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from autograder.exam.files import read_exam; "
        f"read_exam(Path({str(course.practice_exam)!r})); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

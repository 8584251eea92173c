"""The numbers that the lectures print come out of the reference modules, to four decimals."""

import importlib.util
import itertools
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.workspace import Workspace
from course.attention.example_inputs import journey, lecture_weights, wars

WARS_KEYS = [[0.3669, 0.7646], [0.4433, 1.1419], [0.4361, 1.1156], [0.2408, 0.6706], [0.3157, 0.9478]]
WARS_VALUES = [[0.1855, 0.8812], [0.3951, 1.0037], [0.3879, 0.9831], [0.2393, 0.5493], [0.3195, 0.7596]]
SCORES_2 = {
    "journey": [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
    "wars": [1.2705, 1.8524, 1.8111, 1.0795, 1.5150],
}
WEIGHTS_2 = {
    "journey": [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
    "wars": [0.1656, 0.2500, 0.2428, 0.1447, 0.1969],
}
CONTEXT_2 = {"journey": [0.3061, 0.8210], "wars": [0.3212, 0.8646]}
WARS_CONTEXT = [[0.3171, 0.8568], [0.3212, 0.8646], [0.3210, 0.8642], [0.3142, 0.8517], [0.3164, 0.8556]]

SENTENCES = {"journey": journey, "wars": wars}

CAUSAL = [
    [1.0, 0, 0, 0, 0, 0],
    [0.3986, 0.6014, 0, 0, 0, 0],
    [0.2526, 0.3791, 0.3683, 0, 0, 0],
    [0.2265, 0.2839, 0.2794, 0.2103, 0, 0],
    [0.1952, 0.2363, 0.2331, 0.1820, 0.1534, 0],
    [0.1557, 0.2092, 0.2048, 0.1419, 0.1089, 0.1794],
]
MULTI_HEAD = [
    [0.1569, -0.0873, 0.0210, 0.0215, -0.3243, -0.2518],
    [0.1117, -0.0547, 0.0406, -0.0213, -0.3251, -0.2993],
    [0.1196, -0.0491, 0.0318, -0.0635, -0.2788, -0.2578],
]


def _module(course: Workspace, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"solutions_{name}", course.solutions / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def part1(course: Workspace) -> ModuleType:
    return _module(course, "part1_simplified")


@pytest.fixture(scope="module")
def part2(course: Workspace) -> ModuleType:
    return _module(course, "part2_trainable")


@pytest.fixture(scope="module")
def part3(course: Workspace) -> ModuleType:
    return _module(course, "part3_causal")


@pytest.fixture(scope="module")
def part4(course: Workspace) -> ModuleType:
    return _module(course, "part4_multihead")


@pytest.fixture(scope="module")
def part5(course: Workspace) -> ModuleType:
    return _module(course, "part5_inference")


@pytest.fixture(params=["journey", "wars"])
def sentence(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _printed(tensor: Tensor) -> object:
    """Return a tensor's numbers as the lectures print them."""
    return torch.round(tensor.detach().double(), decimals=4).tolist()


def _projections(part2: ModuleType, sentence: str) -> tuple[Tensor, Tensor, Tensor]:
    queries, keys, values = part2.project_qkv(SENTENCES[sentence](), *lecture_weights())
    return queries, keys, values


def _weights_2(part2: ModuleType, sentence: str) -> Tensor:
    queries, keys, _ = _projections(part2, sentence)
    weights: Tensor = part2.attention_weights(part2.scale_scores(part2.scores_for_query(queries[1], keys), 2))
    return weights


def test_query_2(part2: ModuleType, sentence: str) -> None:
    assert _printed(_projections(part2, sentence)[0][1]) == [0.4306, 1.4551]


def test_keys_of_wars(part2: ModuleType) -> None:
    assert _printed(_projections(part2, "wars")[1]) == WARS_KEYS


def test_values_of_wars(part2: ModuleType) -> None:
    assert _printed(_projections(part2, "wars")[2]) == WARS_VALUES


def test_scores_2(part2: ModuleType, sentence: str) -> None:
    queries, keys, _ = _projections(part2, sentence)
    assert _printed(part2.scores_for_query(queries[1], keys)) == SCORES_2[sentence]


def test_scores_2_are_row_2_of_all_scores(part2: ModuleType, sentence: str) -> None:
    queries, keys, _ = _projections(part2, sentence)
    assert _printed(part2.attention_scores(queries, keys)[1]) == SCORES_2[sentence]


def test_weights_2(part2: ModuleType, sentence: str) -> None:
    assert _printed(_weights_2(part2, sentence)) == WEIGHTS_2[sentence]


def test_context_2(part2: ModuleType, sentence: str) -> None:
    _, _, values = _projections(part2, sentence)
    context = part2.context_vectors(_weights_2(part2, sentence)[None], values)
    assert _printed(context[0]) == CONTEXT_2[sentence]


def test_context_2_by_scaled_dot_product_attention(part2: ModuleType, sentence: str) -> None:
    context = part2.scaled_dot_product_attention(*_projections(part2, sentence))
    assert _printed(context[1]) == CONTEXT_2[sentence]


def test_all_context_rows_of_wars_by_scaled_dot_product_attention(part2: ModuleType) -> None:
    assert _printed(part2.scaled_dot_product_attention(*_projections(part2, "wars"))) == WARS_CONTEXT


def test_all_context_rows_of_wars_by_loops(part2: ModuleType) -> None:
    assert _printed(part2.self_attention_loops(wars(), *lecture_weights())) == WARS_CONTEXT


def test_all_context_rows_of_wars_by_columns(part2: ModuleType) -> None:
    columns = part2.self_attention_columns(wars().T, *(weight.T for weight in lecture_weights()))
    assert _printed(columns.T) == WARS_CONTEXT


def test_all_context_rows_of_wars_by_the_class_with_seed_123(part2: ModuleType) -> None:
    torch.manual_seed(123)
    assert _printed(part2.SelfAttentionV1(3, 2)(wars())) == WARS_CONTEXT


def test_context_2_of_journey_by_the_class_with_seed_123(part2: ModuleType) -> None:
    torch.manual_seed(123)
    assert _printed(part2.SelfAttentionV1(3, 2)(journey())[1]) == CONTEXT_2["journey"]


def test_the_weights_of_the_lectures_are_those_of_the_class_with_seed_123(part2: ModuleType) -> None:
    torch.manual_seed(123)
    drawn = part2.SelfAttentionV1(3, 2)
    assert [_printed(weight) for weight in lecture_weights()] == [_printed(weight) for weight in drawn.parameters()]


def test_all_context_rows_of_wars_by_layers_copied_to_parameters(part2: ModuleType) -> None:
    source, target = part2.SelfAttentionV2(3, 2), part2.SelfAttentionV1(3, 2)
    with torch.no_grad():
        for layer, weight in zip(source.children(), lecture_weights(), strict=True):
            layer.weight.copy_(weight.T)
    part2.copy_weights(source, target)
    assert _printed(target(wars())) == WARS_CONTEXT


@pytest.mark.parametrize(("factor", "peak"), [(1, 0.2872), (8, 0.8000)])
def test_the_softmax_of_the_lecture_peaks(part1: ModuleType, factor: int, peak: float) -> None:
    weights = part1.softmax(factor * torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5]))
    assert _printed(weights.max()) == peak


def test_scores_2_of_journey_with_nothing_to_learn(part1: ModuleType) -> None:
    scores = part1.attention_scores(journey()[1], journey())
    assert _printed(scores) == [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]


def test_weights_2_of_journey_with_nothing_to_learn(part1: ModuleType) -> None:
    weights = part1.softmax(part1.attention_scores(journey()[1], journey()))
    assert _printed(weights) == [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]


def test_context_2_of_journey_with_nothing_to_learn(part1: ModuleType) -> None:
    weights = part1.softmax(part1.attention_scores(journey()[1], journey()))
    assert _printed(part1.context_vector(weights, journey())) == [0.4419, 0.6515, 0.5683]


@pytest.mark.parametrize(
    ("sentence", "context_2"),
    [("journey", [0.4419, 0.6515, 0.5683]), ("wars", [0.3986, 0.7014, 0.6203])],
)
def test_context_2_among_all_tokens_with_nothing_to_learn(
    part1: ModuleType, sentence: str, context_2: list[float]
) -> None:
    assert _printed(part1.simplified_self_attention(SENTENCES[sentence]())[1]) == context_2


@pytest.mark.parametrize("d_k", [5, 20, 100])
def test_the_variance_before_scaling_is_about_d_k(part2: ModuleType, d_k: int) -> None:
    variance = part2.dot_product_variance(d_k, 50_000, False, torch.Generator().manual_seed(123))
    assert float(variance) == pytest.approx(d_k, rel=0.05)


@pytest.mark.parametrize("d_k", [5, 20, 100])
def test_the_variance_after_scaling_is_about_1(part2: ModuleType, d_k: int) -> None:
    variance = part2.dot_product_variance(d_k, 50_000, True, torch.Generator().manual_seed(123))
    assert float(variance) == pytest.approx(1, rel=0.05)


def _scores(part2: ModuleType, sentence: str = "journey") -> Tensor:
    queries, keys, _ = _projections(part2, sentence)
    scores: Tensor = part2.attention_scores(queries, keys)
    return scores


def _uncut(part2: ModuleType) -> Tensor:
    weights: Tensor = part2.attention_weights(part2.scale_scores(_scores(part2), 2))
    return weights


def _causal_context(part2: ModuleType, part3: ModuleType, sentence: str) -> Tensor:
    weights = part3.causal_attention_weights(_scores(part2, sentence), 2)
    context: Tensor = part2.context_vectors(weights, _projections(part2, sentence)[2])
    return context


def test_the_mask_of_journey_hides_15_of_36(part3: ModuleType) -> None:
    assert int(part3.causal_mask(6).sum()) == 15


def test_causal_weights_of_journey(part2: ModuleType, part3: ModuleType) -> None:
    assert _printed(part3.causal_attention_weights(_scores(part2), 2)) == CAUSAL


@pytest.mark.parametrize("sentence", ["journey", "wars"])
def test_the_causal_context_of_the_second_token_does_not_depend_on_what_follows(
    part2: ModuleType, part3: ModuleType, sentence: str
) -> None:
    assert _printed(_causal_context(part2, part3, sentence)[1]) == [0.3116, 0.9549]


def test_torch_has_the_mask_the_other_way_round(part2: ModuleType, part3: ModuleType) -> None:
    queries, keys, values = (projected[None] for projected in _projections(part2, "journey"))
    context = nn.functional.scaled_dot_product_attention(queries, keys, values, ~part3.causal_mask(6))
    torch.testing.assert_close(context[0], _causal_context(part2, part3, "journey"))


def test_the_multi_head_attention_of_torch_has_the_mask_as_the_course(part3: ModuleType) -> None:
    _, weights = nn.MultiheadAttention(3, 1, batch_first=True)(*[journey()[None]] * 3, attn_mask=part3.causal_mask(6))
    assert torch.equal(weights[0] == 0, part3.causal_mask(6))


def test_renormalized_weights_of_journey(part2: ModuleType, part3: ModuleType) -> None:
    assert _printed(part3.renormalized_weights(_uncut(part2))) == CAUSAL


def test_underflow_leaves_nothing_to_renormalize(part3: ModuleType) -> None:
    scores = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 200.0], [0.0, 0.0, 0.0]])
    assert part3.renormalized_weights(torch.softmax(scores, dim=-1))[1].isnan().all()


def _step_with_dropout(part2: ModuleType, part3: ModuleType, keep: list[bool]) -> tuple[Tensor, Tensor]:
    weights = part3.causal_attention_weights(_scores(part2), 2)[5]
    return weights, part3.apply_dropout(weights, torch.tensor(keep), 0.5)


def test_the_mean_of_all_64_ways_to_drop_are_the_weights(part2: ModuleType, part3: ModuleType) -> None:
    ways = itertools.product([True, False], repeat=6)
    results = [_step_with_dropout(part2, part3, list(keep))[1] for keep in ways]
    assert _printed(torch.stack(results).mean(dim=0)) == CAUSAL[5]


def _causal_attention(part3: ModuleType) -> Any:
    torch.manual_seed(123)
    return part3.CausalAttention(3, 2, 6, 0.0)


def test_causal_attention_of_wars_begins_like_that_of_journey(part3: ModuleType) -> None:
    module = _causal_attention(part3)
    assert _printed(module(wars()[None])[0, :4]) == _printed(module(journey()[None])[0, :4])


# Several heads: (1, 3, 6), two heads, head_dim 3


def _multi_head(part4: ModuleType) -> Any:
    torch.manual_seed(123)
    return part4.MultiHeadAttention(6, 6, 3, 0.0, 2)


@pytest.fixture(scope="module")
def example(part4: ModuleType) -> dict[str, Tensor]:
    """Return every intermediate result of the multi-head example, step by step."""
    module = _multi_head(part4)
    made = {"x": journey().reshape(1, 3, 6)}
    for name, layer in (("queries", module.W_query), ("keys", module.W_key), ("values", module.W_value)):
        made[name] = layer(made["x"])
        made[f"split {name}"] = part4.split_heads(made[name], 2)
        made[f"grouped {name}"] = part4.group_by_head(made[f"split {name}"])
    made["scores"] = part4.head_scores(made["grouped queries"], made["grouped keys"])
    made["weights"] = part4.head_weights(made["scores"], 3)
    made["context"] = part4.head_context(made["weights"], made["grouped values"])
    made["merged"] = part4.merge_heads(made["context"])
    made["out"] = module.out_proj(made["merged"])
    return made


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("x", (1, 3, 6)),
        ("queries", (1, 3, 6)),
        ("split queries", (1, 3, 2, 3)),
        ("grouped queries", (1, 2, 3, 3)),
        ("scores", (1, 2, 3, 3)),
        ("weights", (1, 2, 3, 3)),
        ("context", (1, 2, 3, 3)),
        ("merged", (1, 3, 6)),
        ("out", (1, 3, 6)),
    ],
)
def test_shapes_of_the_multi_head_example(example: dict[str, Tensor], name: str, shape: tuple[int, ...]) -> None:
    assert example[name].shape == shape


def test_the_output_of_the_multi_head_example(part4: ModuleType) -> None:
    assert _printed(_multi_head(part4)(journey().reshape(1, 3, 6))[0]) == MULTI_HEAD


def test_two_heads_cut_out_of_the_layers_give_the_merged_table(
    part3: ModuleType, part4: ModuleType, example: dict[str, Tensor]
) -> None:
    drawn = dict(_multi_head(part4).named_parameters())
    heads = [part3.CausalAttention(6, 3, 3, 0.0) for _ in range(2)]
    for head, rows in zip(heads, (slice(0, 3), slice(3, 6)), strict=True):
        cut = {name: drawn[name][rows] for name, _ in head.named_parameters()}
        head.load_state_dict(cut, strict=False)
    assert _printed(part4.concat_heads(heads, example["x"])) == _printed(example["merged"])


def _two_sentences() -> Tensor:
    x = journey().reshape(1, 3, 6)
    return torch.cat([x, x.flip(1)])


@pytest.mark.parametrize("which", [0, 1])
def test_a_sentence_of_the_batch_gives_what_it_gives_alone(part4: ModuleType, which: int) -> None:
    module = _multi_head(part4)
    batch = _two_sentences()
    assert _printed(module(batch)[which]) == _printed(module(batch[which : which + 1])[0])


def test_the_first_two_tokens_alone(part4: ModuleType) -> None:
    assert _printed(_multi_head(part4)(journey().reshape(1, 3, 6)[:, :2])[0]) == MULTI_HEAD[:2]


# What makes generation fast


def _one_head(part2: ModuleType, sentence: str = "journey") -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values as (1, 1, t, 2)."""
    queries, keys, values = (projected[None, None] for projected in _projections(part2, sentence))
    return queries, keys, values


@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1, 1], [3, 3], [3, 2, 1], [6]])
def test_the_context_of_the_last_token_with_a_cache(part2: ModuleType, part5: ModuleType, chunks: list[int]) -> None:
    cache = part5.KVCache()
    pieces = zip(*(torch.split(tensor, chunks, dim=2) for tensor in _one_head(part2)), strict=True)
    contexts = [part5.attend_with_cache(*piece, cache) for piece in pieces]
    assert _printed(contexts[-1][0, 0, -1]) == [0.2990, 0.8040]


def test_torch_begins_the_mask_of_new_tokens_elsewhere(part2: ModuleType, part5: ModuleType) -> None:
    queries, keys, values = _projections(part2, "journey")
    new = queries[3:5], keys[:5], values[:5]
    hidden = part5.causal_mask_with_past(2, 3)
    assert _printed(nn.functional.scaled_dot_product_attention(*new, ~hidden)) == [[0.3129, 0.8747], [0.2865, 0.7897]]
    assert _printed(nn.functional.scaled_dot_product_attention(*new, is_causal=True)[0]) == [0.1855, 0.8812]


def test_the_last_token_of_the_fourth_query_head_of_two_groups(part5: ModuleType) -> None:
    torch.manual_seed(123)
    queries, keys, values = (
        (journey().reshape(1, 3, 6) @ torch.rand(6, size)).unflatten(2, (-1, 2)).transpose(1, 2) for size in (8, 4, 4)
    )
    assert _printed(part5.grouped_query_attention(queries, keys, values)[0, 3, 2]) == [1.2323, 2.1431]


@pytest.mark.parametrize(("here", "there"), [(2, 0), (3, 1), (42, 40)])
def test_the_score_of_two_tokens_depends_on_how_far_apart_they_stand(
    part2: ModuleType, part5: ModuleType, here: int, there: int
) -> None:
    queries, keys, _ = _projections(part2, "journey")
    query, key = part5.rotate(queries[1:2], torch.tensor([here])), part5.rotate(keys[1:2], torch.tensor([there]))
    assert float(query[0] @ key[0]) == pytest.approx(-0.9103, abs=1e-4)


def test_a_row_of_two_pairs_at_place_2(part5: ModuleType) -> None:
    turned = part5.rotate(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.tensor([2]))
    assert _printed(turned[0]) == [-2.2347, 0.0770, 2.9194, 4.0592]


def test_the_context_of_the_last_token_from_latent_vectors(part5: ModuleType) -> None:
    torch.manual_seed(123)
    matrices = [torch.rand(*size) for size in ((3, 4), (3, 2), (2, 4), (2, 4))]
    context = part5.latent_attention(journey()[None], *matrices, 2)
    assert _printed(context[0, 5]) == [0.8350, 0.8558, 0.8187, 0.5613]


def test_the_score_that_the_lecture_absorbs_by_hand(part5: ModuleType) -> None:
    query, latent = torch.tensor([1.0, 2.0, 0.0]), torch.tensor([3.0, -1.0])
    up = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    assert part5.absorbed_scores(query[None, None, None], latent[None, None], up).tolist() == [[[[1.0]]]]


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, 8])
def test_the_maximum_and_sum_of_the_five_scores(part5: ModuleType, block_size: int) -> None:
    maximum, total = part5.online_softmax_stats(torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5]), block_size)
    assert [_printed(maximum), _printed(total)] == [0.5, 3.4822]


@pytest.mark.parametrize("block_size", [1, 4, 6])
def test_tiles_give_the_causal_context_of_the_last_token(part2: ModuleType, part5: ModuleType, block_size: int) -> None:
    context = part5.flash_attention(*_projections(part2, "journey"), block_size, True)
    assert _printed(context[5]) == [0.2990, 0.8040]


def test_the_last_token_in_a_window_of_three_is_that_of_a_text_of_three(part2: ModuleType, part5: ModuleType) -> None:
    queries, keys, values = _projections(part2, "journey")
    hidden = part5.sliding_window_mask(6, 3)
    windowed = nn.functional.scaled_dot_product_attention(queries, keys, values, ~hidden)
    alone = nn.functional.scaled_dot_product_attention(queries[5:], keys[3:], values[3:])
    assert _printed(windowed[5]) == _printed(alone[0]) == [0.2510, 0.5938]


def test_the_last_token_of_wars_asks_journey(part5: ModuleType) -> None:
    context = part5.cross_attention(wars()[None], journey()[None], *lecture_weights())
    assert _printed(context[0, 4]) == [0.2984, 0.8026]

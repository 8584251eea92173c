"""The numbers that the lectures print come out of the reference modules, to four decimals."""

import importlib.util
from types import ModuleType

import pytest
import torch
from torch import Tensor

from autograder.course.sentences import journey, lecture_weights, wars
from autograder.workspace import Workspace

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


def test_scores_2_of_journey_without_weights(part1: ModuleType) -> None:
    scores = part1.attention_scores(journey()[1], journey())
    assert _printed(scores) == [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]


def test_weights_2_of_journey_without_weights(part1: ModuleType) -> None:
    weights = part1.softmax(part1.attention_scores(journey()[1], journey()))
    assert _printed(weights) == [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]


def test_context_2_of_journey_without_weights(part1: ModuleType) -> None:
    weights = part1.softmax(part1.attention_scores(journey()[1], journey()))
    assert _printed(part1.context_vector(weights, journey())) == [0.4419, 0.6515, 0.5683]


@pytest.mark.parametrize(
    ("sentence", "context_2"),
    [("journey", [0.4419, 0.6515, 0.5683]), ("wars", [0.3986, 0.7014, 0.6203])],
)
def test_context_2_among_all_tokens_without_weights(part1: ModuleType, sentence: str, context_2: list[float]) -> None:
    assert _printed(part1.simplified_self_attention(SENTENCES[sentence]())[1]) == context_2


@pytest.mark.parametrize("d_k", [5, 20, 100])
def test_the_variance_before_scaling_is_about_d_k(part2: ModuleType, d_k: int) -> None:
    variance = part2.dot_product_variance(d_k, 50_000, False, torch.Generator().manual_seed(123))
    assert float(variance) == pytest.approx(d_k, rel=0.05)


@pytest.mark.parametrize("d_k", [5, 20, 100])
def test_the_variance_after_scaling_is_about_1(part2: ModuleType, d_k: int) -> None:
    variance = part2.dot_product_variance(d_k, 50_000, True, torch.Generator().manual_seed(123))
    assert float(variance) == pytest.approx(1, rel=0.05)

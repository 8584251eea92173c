"""Where known mistakes part from the reference: at the line that a person would blame."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.course import parts
from autograder.course.answer import Answer, TensorValue
from autograder.course.flow import Line
from autograder.course.mistakes import load as load_mistakes
from autograder.course.model import Mistake
from autograder.course.probing import failure_of
from autograder.course.tracing import follow
from autograder.exam.flows import ReferenceFlow, load
from autograder.exam.model import Exam, PaperCase
from autograder.exam.parting import find_parting
from autograder.workspace import Workspace

pytestmark = pytest.mark.slow

ELSEWHERE = {
    "ShapeSwapped": "self.W_query = nn.Parameter(",
    "ShapeSwappedAndTurned": "self.W_query = nn.Parameter(",
    "last_token_only": "scores = queries @ keys.transpose(-2, -1)",
    "OnlyTheNewest": "self.keys, self.values = keys, values",
    "JoinedAlongHeads": "return torch.cat([old, new], dim=self.dim)",
    "JoinedAlongTheBatch": "return torch.cat([old, new], dim=self.dim)",
    "JoinedAlongTheNumbers": "return torch.cat([old, new], dim=self.dim)",
    "ValuesJoinedAlongTheBatch": "torch.cat([self.values, values], dim=self.along)",
    "ValuesJoinedAlongTheNumbers": "torch.cat([self.values, values], dim=self.along)",
    "keys_from_x": "dim=-1) @ values",
    "queries_and_keys_exchanged": "dim=-1) @ values",
    "HeadDimOfDIn": "return x.view(b, t, self.num_heads, self.head_dim)",
    "length_asked_too_late": "masked_fill(hidden, HIDDEN), dim=-1) @ values",
    "heads_not_repeated": "return queries @ keys.transpose(-2, -1)",
    "repeated_kv_times": "return queries @ keys.transpose(-2, -1)",
    "tail_dropped": "for block in scores.split(block_size",
    "values_from_x": "return torch.softmax(scored(queries, keys), dim=-1) @ values",
    "not_cropped": "tokens = torch.hstack(",
}
"""Mistakes whose lines to blame stand in what they share with others, by their ids."""

AMONG_OTHERS = {
    "columns_returned_as_rows": "return (V @",
    "BiasIgnored": "qkv_bias=False)",
    "CausalBiasIgnored": "qkv_bias=False)",
    "MultiHeadBiasIgnored": "qkv_bias=False)",
    "OutProjWithoutBias": "self.out_proj = ",
    "OutProjFollowsQkvBias": "self.out_proj = ",
    "MaskCutForGood": "self.mask = self.mask[:t, :t]",
    "MultiHeadMaskCutForGood": "self.mask = self.mask[:t, :t]",
    "list_of_heads": "return list(",
    "cache_never_used": "return attend(queries, keys, values)",
    "appended_twice": "all_keys, _ = cache.append(keys, values)",
    "cropped_for_good": "tokens = _last(model)(tokens)",
    "heads_merged": ".mean(dim=1)",
    "heads_not_split": "scores = layer.W_query(x) @",
}
"""Mistakes of which it is told which of their own lines is to blame."""


@pytest.fixture(scope="module")
def flows(course: Workspace) -> dict[str, ReferenceFlow]:
    return load(course.shapes)


@pytest.mark.parametrize("part", parts.NAMES)
def test_a_wrong_shape_or_an_error_parts_at_the_line_to_blame(
    part: str, practice: Exam, flows: dict[str, ReferenceFlow]
) -> None:
    named = dict(_lines_named(part, practice, flows))
    blameless = {
        id: line.text if line else None for id, line in named.items() if not line or not _is_to_blame(id, line)
    }

    assert named
    assert blameless == {}


def _is_to_blame(id: str, line: Line) -> bool:
    if id in ELSEWHERE:
        return ELSEWHERE[id] in line.text
    return line.function.split(".")[0] == id and AMONG_OTHERS.get(id, "") in line.text


def _lines_named(part: str, exam: Exam, flows: dict[str, ReferenceFlow]) -> Iterator[tuple[str, Line | None]]:
    """Yield the line at which each mistake of a part parts that raises in its own code or makes a wrong shape."""
    for mistake in load_mistakes(part):
        path = f"{part}.{mistake.step}"
        answers = next(one.answers for one in exam.key.fingerprints[path] if one.id == mistake.id)
        for case in exam.paper.of(part, frozenset({mistake.step})):
            if case.path in flows and _is_visible(answers.get(case.path), exam.key.cases[case.path].expected):
                yield from _line_named(mistake, case, flows[case.path])
                break


def _is_visible(answer: Answer | None, expected: Answer) -> bool:
    """Tell whether an answer failed, or has another shape than expected."""
    return answer is not None and (answer.failure is not None or _shapes(answer) != _shapes(expected))


def _shapes(answer: Answer) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in answer.outputs.items() if isinstance(value, TensorValue)}


def _line_named(mistake: Mistake, case: PaperCase, reference: ReferenceFlow) -> Iterator[tuple[str, Line | None]]:
    path = importlib.import_module(f"autograder.course.mistakes.{case.part}").__file__ or ""
    inputs = {
        name: torch.from_numpy(value) if hasattr(value, "dtype") else value for name, value in case.inputs.items()
    }
    probe = parts.load(case.part).step(case.step).probe
    sources = {path: Path(path).read_text(encoding="utf-8")}
    flow = follow(probe, mistake.implementation, inputs, case.seed, sources, failure_of)
    if flow.failure and not flow.stopped:
        return  # it is the probe that found something missing
    parting = find_parting(flow, reference)
    assert parting
    yield mistake.id, flow.lines[parting.line] if parting.line is not None else None

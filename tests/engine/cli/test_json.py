"""`attn check --json`: marks of the schema, and nothing else on standard output."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import jsonschema
import pytest
from command import attn_in

from autograder.site.marks_schema import SCHEMA
from autograder.workspace import Workspace

NewCourse = Callable[..., Workspace]

SECOND = "part2_trainable"

MIXED = """
print("while loading")


def dot_product(a, b):
    print("in a step")
    return (a * b).sum()


def attention_scores(query, inputs):
    return 2 * (inputs @ query)


def softmax(scores):
    print("\\x1b[31m\\x1b]0;title\\x07\\x00\\x9b red \\u202e" + "long " * 2_000)
    raise ValueError("\\x1b[2J\\ud800\\x08 wiped " + "long " * 2_000)


def context_vector(weights, inputs):
    return float("nan") * (weights @ inputs)
"""


@pytest.fixture(scope="module")
def marks(new_course: NewCourse) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is no JSON")

    workspace = new_course(part1_simplified=MIXED)
    workspace.exercise(SECOND).write_text("def broken(:\n", encoding="utf-8")
    run = attn_in(workspace, "check", "--json")
    assert (run.returncode, run.stderr) == (1, "")
    found: dict[str, Any] = json.loads(run.stdout, parse_constant=refuse)
    return found


def texts_in(value: object) -> Iterator[str]:
    """Yield every text within some JSON."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from texts_in(inner)
        case list():
            for inner in value:
                yield from texts_in(inner)


def test_the_marks_fit_their_schema_and_add_up(marks: dict[str, Any]) -> None:
    jsonschema.validate(marks, json.loads(SCHEMA.read_text(encoding="utf-8")))
    steps = [step for part in marks["parts"] for step in part["steps"]]
    assert marks["score"] == pytest.approx(sum(step["score"] for step in steps))
    assert [step["step"] for step in steps if step["score"] == step["max_score"]] == ["dot_product"]


def test_no_text_holds_control_characters_or_is_longer_than_4000_characters(marks: dict[str, Any]) -> None:
    texts = [*texts_in(marks)]
    assert {one for text in texts for one in text if not (one.isprintable() or one in "\n\t")} == set()
    assert 2_000 < max(map(len, texts)) <= 4_000

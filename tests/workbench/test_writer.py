"""The model that writes, and what it wrote at several steps of its training: the files in the tree are those of the story."""

import json
from typing import Any

import pytest
import torch
from safetensors import safe_open

from workbench.characters import CONTEXT, PROMPT, WRITTEN, writing_task
from workbench.packed_model import read_weights
from workbench.task import MODEL, Code
from workbench.texts import OWN, read_text
from workbench.trainer import Training
from workbench.writer import SAMPLES, STEPS, WRITER, samples

STORY = read_text(OWN)
WROTE: list[dict[str, Any]] = json.loads(SAMPLES.read_text(encoding="utf-8"))
LARGEST = 160_000  # bytes: a reader waits for them


def test_there_is_a_sample_of_each_step_that_continues_the_beginning_of_the_story() -> None:
    assert [sample["steps"] for sample in WROTE] == list(STEPS)
    assert {sample["writes"][:PROMPT] for sample in WROTE} == {STORY[:PROMPT]}
    assert {len(sample["writes"]) for sample in WROTE} == {PROMPT + WRITTEN}


def test_untrained_it_writes_no_words_of_the_story_and_at_the_end_mostly_such() -> None:
    first, last = (set(WROTE[at]["writes"][PROMPT:].split()[1:-1]) for at in (0, -1))
    words = set(STORY.split())

    assert len(first & words) <= len(first) / 3
    assert len(last & words) >= 0.7 * len(last)


def test_the_file_is_small() -> None:
    assert WRITER.stat().st_size <= LARGEST


def test_the_packed_model_knows_the_story(code: Code) -> None:
    task = writing_task(STORY)
    model = Training(code, task, 0, "cpu").model
    model.load_state_dict(read_weights(WRITER), strict=False)
    tokens = torch.tensor([task.vocabulary.index(letter) for letter in STORY[: 20 * CONTEXT]]).view(20, CONTEXT)

    with safe_open(WRITER, framework="pt") as kept:
        assert kept.metadata()["vocabulary"] == task.vocabulary
    with torch.no_grad():
        loss = code[MODEL].next_token_loss(model(tokens), tokens)
    assert float(loss) < 1.2  # one that knows only how frequent letters are has about 3


@pytest.mark.slow
def test_the_same_training_writes_the_same(code: Code) -> None:
    first, second = (samples(Training(code, writing_task(STORY), 1, "cpu"), steps=(0, 2)) for _ in range(2))

    assert first == second

"""The words with which the first lectures begin: the file in the tree is what the script makes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from autograder.workspace import Workspace
from workbench.own_code import loaded
from workbench.task import MODEL, Code
from workbench.words import CAUSAL, QUERIES, SENTENCES, STEPS, VOCABULARY, WORDS, learned

KEPT: dict[str, Any] = json.loads(WORDS.read_text(encoding="utf-8"))


@pytest.fixture
def code(course: Workspace) -> Iterator[Code]:
    with loaded(course.solutions, [QUERIES, CAUSAL, MODEL]) as modules, torch.random.fork_rng(devices=[]):
        yield modules


def test_the_sentences_differ_in_what_light_means() -> None:
    follow = {sentence.split()[4] for sentence in SENTENCES if "light" in sentence}

    assert len(SENTENCES) == 12
    assert follow == {"to", "at"}


@pytest.mark.slow
def test_the_file_is_what_the_script_makes(code: Code) -> None:
    """To a hundredth: another machine may round otherwise."""
    made = learned(code, STEPS)

    assert made.keys() == KEPT.keys()
    assert made["words"] == KEPT["words"] == VOCABULARY
    for name in made.keys() - {"words"}:
        torch.testing.assert_close(torch.tensor(made[name]), torch.tensor(KEPT[name]), atol=0.0101, rtol=0)

"""Learning to write: a text, character by character."""

import hashlib

import torch
from jaxtyping import Int
from torch import Tensor, nn

from workbench.task import MODEL, Code, Observation, Task, device_of, encoded, maps_of

CONTEXT = 96
BATCH = 24
PROMPT, WRITTEN = 24, 200
"""Characters of the text that a sample begins with, and those that the model adds."""

SHOWN = 18


def writing_task(text: str) -> Task:
    """Return the training on a text of more than CONTEXT characters."""
    vocabulary = "".join(sorted(set(text)))
    story = encoded(text, vocabulary)

    def batch(generator: torch.Generator) -> Tensor:
        starts = torch.randint(len(story) - CONTEXT + 1, (BATCH, 1), generator=generator)
        return story[starts + torch.arange(CONTEXT)]

    def observe(code: Code, model: nn.Module) -> Observation:
        tokens = _write(code, model, story[:PROMPT].to(device_of(model)))
        sample = "".join(vocabulary[token] for token in tokens)
        return Observation(maps_of(code, model, story[:SHOWN]), sample=sample)

    name = f"text-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return Task(name, vocabulary, CONTEXT, 800, batch, text[:SHOWN], observe)


def _write(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> Int[Tensor, " t+WRITTEN"]:
    """Let the model continue by the student's `generate`, half a context at a time.

    Training compares the guess at the last position of a context with nothing, so that guess is meaningless.
    """
    story, half = tokens, CONTEXT // 2
    while len(story) < len(tokens) + WRITTEN:
        seen = story[-half:]
        longer = code[MODEL].generate(model, seen[None], half)[0]
        story = torch.cat([story, longer[len(seen) :]])
    return story[: len(tokens) + WRITTEN]

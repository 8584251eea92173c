"""The task of learning to write: a text, character by character."""

import hashlib

import torch
from jaxtyping import Int
from torch import Tensor, nn

from workbench.task import MODEL, Code, Observation, Task, device_of, encoded, maps_of

CONTEXT = 96
BATCH = 24
PROMPT, WRITTEN = 24, 200
"""The numbers of characters that a sample takes from the text, and that the model adds."""

SHOWN = 18


def writing_task(text: str) -> Task:
    """Return the task of training on a text, which has at least CONTEXT characters."""
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
    """Continue a text with the student's `generate`, half a context at a time.

    A full context is never read, because training does not teach what follows the last position.
    """
    story, half = tokens, CONTEXT // 2
    while len(story) < len(tokens) + WRITTEN:
        seen = story[-half:]
        longer = code[MODEL].generate(model, seen[None], half)[0]
        story = torch.cat([story, longer[len(seen) :]])
    return story[: len(tokens) + WRITTEN]

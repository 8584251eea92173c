"""Train the models that write in the lectures, and write their files: `python -m workbench.writer`.

Both are the reference, trained on the course's own story as by `attn train --text`. <live-gpt>
loads the first model. The second is trained on nine tenths of the story only. The lecture on
training shows the second model's losses, and its texts at several temperatures.
"""

import json
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from autograder.workspace import COURSE
from workbench.characters import CONTEXT, writing_task
from workbench.own_code import loaded
from workbench.packed_model import packed_file
from workbench.task import ATTENTION, MODEL, Code, encoded
from workbench.texts import STORY, read_text
from workbench.trainer import Training

WRITER = COURSE.root / "docs" / "widgets" / "text_model.safetensors"
SAMPLES = COURSE.root / "docs" / "lectures" / "trained_samples.json"
SEED, STEPS, LOOK_EVERY = 123, 800, 50
TEMPERATURES = (0.0, 0.5, 1.0, 2.0)
PROMPT, WRITTEN = "Each word ", 120


def parts_of(story: str) -> tuple[str, str]:
    """Return the text to train on, and the last tenth, on which only the loss is measured."""
    cut = len(story) * 9 // 10
    return story[:cut], story[cut:]


def trained(code: Code, story: str) -> bytes:
    """Train a model on a story, and return the content of the model's file."""
    task = writing_task(story)
    training = Training(code, task, SEED)
    for _ in range(STEPS):
        training.step()
    return packed_file(training.model, task.vocabulary)


def written(code: Code, story: str) -> dict[str, Any]:
    """Train a model on most of a story. Return its losses and samples. code: the model's modules."""
    seen, kept_back = parts_of(story)
    vocabulary = "".join(sorted(set(story)))
    training = Training(code, writing_task(seen), SEED)
    losses, samples = [], []
    for step in range(STEPS + 1):
        if step % LOOK_EVERY == 0:
            two = (loss_on(code, training.model, encoded(text, vocabulary)) for text in (seen, kept_back))
            losses.append([step, *(round(loss, 3) for loss in two)])
        if step in (0, STEPS // 8, STEPS):
            samples.append([step, {str(heat): sample(training.model, vocabulary, heat) for heat in TEMPERATURES}])
        if step < STEPS:
            training.step()
    return {"vocabulary": len(vocabulary), "losses": losses, "samples": samples}


def loss_on(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> float:
    """Return the mean loss of a model over a text that is cut into contexts."""
    rows = tokens[: len(tokens) // CONTEXT * CONTEXT].view(-1, CONTEXT)
    with torch.no_grad():
        return float(code[MODEL].next_token_loss(model(rows), rows))


def sample(model: nn.Module, vocabulary: str, temperature: float) -> str:
    """Return PROMPT and the model's text. At temperature 0, the likeliest character comes next."""
    generator = torch.Generator().manual_seed(SEED)
    tokens = encoded(PROMPT, vocabulary)[None]
    for _ in range(WRITTEN):
        with torch.no_grad():
            logits = model(tokens[:, 1 - CONTEXT :])[:, -1]  # the last place of a context was never trained
        if temperature:
            token = torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1, generator=generator)
        else:
            token = logits.argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, token], dim=1)
    return "".join(vocabulary[number] for number in tokens[0].tolist())


if __name__ == "__main__":
    torch.set_num_threads(1)
    own = read_text(STORY)
    with loaded(COURSE.solutions, (ATTENTION, MODEL)) as reference:
        WRITER.write_bytes(trained(reference, own))
        SAMPLES.write_text(json.dumps(written(reference, own), ensure_ascii=False) + "\n", encoding="utf-8")

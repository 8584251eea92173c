"""What the lecture on training shows of a model that learns to write: its losses, and what it writes at several temperatures.

`python -m workbench.samples` trains the reference on the first nine tenths of the course's own story, as `attn train --text` does on
all of it, and writes docs/lectures/trained_samples.json anew.
"""

import json
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from autograder.workspace import COURSE
from workbench.characters import CONTEXT, writing_task
from workbench.own_code import loaded
from workbench.task import ATTENTION, MODEL, Code
from workbench.texts import OWN, read_text
from workbench.trainer import Training

SAMPLES = COURSE.root / "docs" / "lectures" / "trained_samples.json"
SEED, STEPS, LOOK_EVERY = 123, 800, 50
TEMPERATURES = (0.0, 0.5, 1.0, 2.0)
PROMPT, WRITTEN = "Each word ", 120


def parts_of(story: str) -> tuple[str, str]:
    """Return what is trained on, and what is kept back to measure with: the last tenth."""
    cut = len(story) * 9 // 10
    return story[:cut], story[cut:]


def written(code: Code, story: str, steps: int) -> dict[str, Any]:
    """Train a model on a story, and return what the lecture shows of it, as plain numbers and text. code: the modules of the model."""
    seen, kept_back = parts_of(story)
    vocabulary = "".join(sorted(set(story)))
    task = writing_task(seen)
    if task.vocabulary != vocabulary:
        raise ValueError(f"only what is kept back has {set(vocabulary) - set(task.vocabulary)}")
    training = Training(code, task, SEED, "cpu")
    losses, samples = [], []
    for step in range(steps + 1):
        if step % LOOK_EVERY == 0:
            two = (loss_on(code, training.model, _numbers(text, vocabulary)) for text in (seen, kept_back))
            losses.append([step, *(round(loss, 3) for loss in two)])
        if step in (0, steps // 8, steps):
            samples.append([step, {str(heat): sample(training.model, vocabulary, heat) for heat in TEMPERATURES}])
        if step < steps:
            training.step()
    return {"vocabulary": len(vocabulary), "losses": losses, "samples": samples}


def loss_on(code: Code, model: nn.Module, tokens: Int[Tensor, " t"]) -> float:
    """Return the mean loss of a model over a text, a context at a time."""
    model.eval()
    rows = tokens[: len(tokens) // CONTEXT * CONTEXT].view(-1, CONTEXT)
    with torch.no_grad():
        return float(code[MODEL].next_token_loss(model(rows), rows))


def sample(model: nn.Module, vocabulary: str, temperature: float) -> str:
    """Return what a model writes after PROMPT. At temperature 0 it takes the likeliest character."""
    model.eval()
    generator = torch.Generator().manual_seed(SEED)
    tokens = _numbers(PROMPT, vocabulary)[None]
    for _ in range(WRITTEN):
        with torch.no_grad():
            logits = model(tokens[:, 1 - CONTEXT :])[:, -1]  # the last place of a context was never trained
        if temperature:
            token = torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1, generator=generator)
        else:
            token = logits.argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, token], dim=1)
    return "".join(vocabulary[number] for number in tokens[0].tolist())


def _numbers(text: str, vocabulary: str) -> Int[Tensor, " t"]:
    return torch.tensor([vocabulary.index(letter) for letter in text])


def main() -> None:
    """Train the model and write the file anew."""
    torch.set_num_threads(1)
    with loaded(COURSE.solutions, (ATTENTION, MODEL)) as code:
        found = written(code, read_text(OWN), STEPS)
    SAMPLES.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

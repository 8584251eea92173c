"""Train the model of the first lectures: one head learns the two meanings of "light".

`python -m workbench.words` trains a model of one head on a dozen sentences, with the functions of
parts 2, 3 and 6. It writes docs/lectures/trained_words.json: for each word its embedding and its
column of W_next, and the matrices of the head, in hundredths.
"""

import json
from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from autograder.workspace import COURSE
from workbench.own_code import loaded
from workbench.task import MODEL, Code

WORDS = COURSE.root / "docs" / "lectures" / "trained_words.json"
QUERIES, CAUSAL = "part2_trainable", "part3_causal"

SENTENCES = [
    *(f"the {noun} was {what} to carry" for noun in ("bag", "box", "coat") for what in ("light", "heavy")),
    *(f"the {noun} was {what}" for noun in ("room", "street", "sky") for what in ("light at noon", "dark at night")),
]
"""The noun decides which word follows "light"."""

VOCABULARY = sorted({word for sentence in SENTENCES for word in sentence.split()})
SHAPES = {
    "embeddings": (len(VOCABULARY), 3),
    "W_query": (3, 2),
    "W_key": (3, 2),
    "W_value": (3, 2),
    "W_next": (2, len(VOCABULARY)),
}
"""The shapes of the lectures' matrices. W_next turns a context into a logit for each word."""

SEED, STEPS, RATE = 93, 1000, 0.03
"""With this seed the head attends to the noun in both kinds of sentences."""

DECAY = {"W_next": 0.0002}
OTHER_DECAY = 0.002
"""The factors of the numbers' squares, which are added to the loss to keep the numbers small."""

Weights = Mapping[str, Float[Tensor, "..."]]


def learned(code: Code, steps: int) -> dict[str, Any]:
    """Train the model and return the content of the file. code: the modules of parts 2, 3 and 6."""
    torch.manual_seed(SEED)
    weights = {
        name: (0.3 * torch.randn(*shape, dtype=torch.float64)).requires_grad_() for name, shape in SHAPES.items()
    }
    tokens = torch.tensor([[VOCABULARY.index(word) for word in sentence.split()] for sentence in SENTENCES])
    optimizer = torch.optim.Adam(weights.values(), lr=RATE)
    for _ in range(steps):
        loss = code[MODEL].next_token_loss(_logits(code, weights, tokens), tokens)
        small = sum(DECAY.get(name, OTHER_DECAY) * numbers.square().sum() for name, numbers in weights.items())
        optimizer.zero_grad()
        (loss + small).backward()
        optimizer.step()
    return {"words": VOCABULARY, **{name: _hundredths(numbers) for name, numbers in weights.items()}}


def _hundredths(numbers: Float[Tensor, "n m"]) -> list[list[float]]:
    return [[round(one, 2) + 0.0 for one in row] for row in numbers.tolist()]  # + 0.0: no −0.0


def _logits(code: Code, weights: Weights, tokens: Int[Tensor, "b t"]) -> Float[Tensor, "b t v"]:
    matrices = (weights[name] for name in ("W_query", "W_key", "W_value"))
    queries, keys, values = code[QUERIES].project_qkv(weights["embeddings"][tokens], *matrices)
    shares = code[CAUSAL].causal_attention_weights(code[QUERIES].attention_scores(queries, keys), keys.shape[-1])
    logits: Tensor = code[QUERIES].context_vectors(shares, values) @ weights["W_next"]
    return logits


if __name__ == "__main__":
    torch.set_num_threads(1)
    with loaded(COURSE.solutions, [QUERIES, CAUSAL, MODEL]) as reference:
        WORDS.write_text(json.dumps(learned(reference, STEPS)) + "\n", encoding="utf-8")

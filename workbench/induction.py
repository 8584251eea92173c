"""Repeated random sequences, and the score of the induction heads that grow on them.

Each random sequence repeats. An induction head finds the token that followed the last occurrence
of the current token (Olsson et al. 2022, "In-context Learning and Induction Heads").
"""

import string

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from workbench.task import MODEL, Code, Observation, Task, device_of, maps_of

TOKENS = string.ascii_uppercase + "abcdef"
CONTEXT = 32
SHORTEST, LONGEST = 8, 16
"""The fewest and most tokens before a row repeats. Rows differ, so that no fixed distance is right."""

BATCH = 64
SCORED = 32
"""The number of sequences over which a score is averaged."""

SHOWN = 9
"""The length of the drawn sequence before it repeats. Twice that many columns fit into a terminal."""

ENOUGH = 0.8
"""The lowest score of a head that is called an induction head here."""

UNSEEN = 2**40
"""The seed of the sequences that are scored and shown. Training uses smaller seeds."""


def induction_task() -> Task:
    """Return the task of training on repeated random sequences."""
    generator = torch.Generator().manual_seed(UNSEEN)
    scored = repeated(torch.full((SCORED,), LONGEST), 2 * LONGEST, generator)
    shown = repeated(torch.tensor([SHOWN]), 2 * SHOWN, generator)[0]

    def batch(generator: torch.Generator) -> Tensor:
        periods = torch.randint(SHORTEST, LONGEST + 1, (BATCH,), generator=generator)
        return repeated(periods, CONTEXT, generator)

    def observe(code: Code, model: nn.Module) -> Observation:
        maps = code[MODEL].attention_maps(model, scored.to(device_of(model))).detach().cpu()
        return Observation(maps_of(code, model, shown), induction_scores(maps, LONGEST).numpy())

    letters = "".join(TOKENS[token] for token in shown)
    return Task("induction", TOKENS, CONTEXT, 600, batch, letters, observe)


def repeated(periods: Int[Tensor, " b"], length: int, generator: torch.Generator) -> Int[Tensor, "b length"]:
    """Return a sequence for each period: that number of distinct random tokens, repeated to `length`."""
    distinct = torch.rand(len(periods), len(TOKENS), generator=generator).argsort(dim=1)
    return distinct.gather(1, torch.arange(length) % periods[:, None])


def induction_scores(maps: Float[Tensor, "layers b h t t"], period: int) -> Float[Tensor, "layers h"]:
    """Return each head's mean weight on the token after the last occurrence of the current token.

    period: the length of the sequences. The mean is over all tokens after the first period.
    """
    queries = torch.arange(period, maps.shape[-1])
    return maps[..., queries, queries - period + 1].mean(dim=(1, 3))

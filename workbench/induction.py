"""Repeated random sequences, and the score of the induction heads that grow on them.

A random sequence is followed by itself. An induction head finds the token that followed the last
occurrence of the present one (Olsson et al. 2022, "In-context Learning and Induction Heads").
"""

import string

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from workbench.task import MODEL, Code, Observation, Task, device_of, maps_of

TOKENS = string.ascii_uppercase + "abcdef"
CONTEXT = 32
SHORTEST, LONGEST = 8, 16
"""Tokens before a sequence begins again: a different number in each row, so that no fixed distance is right."""

BATCH = 64
SCORED = 32
"""Sequences over which a score is the mean."""

SHOWN = 9
"""Tokens of the sequence whose maps are drawn; twice as many columns fit into a terminal."""

ENOUGH = 0.8
"""The score from which a head is called an induction head here."""

UNSEEN = 2**40
"""Seeds the sequences that are scored and shown: none that is trained on."""


def induction_task() -> Task:
    """Return the training on repeated random sequences."""
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
    """Return one sequence per period: so many distinct random tokens, repeated up to `length`."""
    distinct = torch.rand(len(periods), len(TOKENS), generator=generator).argsort(dim=1)
    return distinct.gather(1, torch.arange(length) % periods[:, None])


def induction_scores(maps: Float[Tensor, "layers b h t t"], period: int) -> Float[Tensor, "layers h"]:
    """Return each head's mean weight on the token after the last occurrence of the present one.

    period: the length of the sequences. The mean is over all later tokens.
    """
    queries = torch.arange(period, maps.shape[-1])
    return maps[..., queries, queries - period + 1].mean(dim=(1, 3))

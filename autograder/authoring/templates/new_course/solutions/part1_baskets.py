"""Part 1: baskets.

Many baskets are paid for at once: a table of how much is in each basket, a
row a basket, and a price for each good.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def totals(baskets: Float[Tensor, "n goods"], prices: Float[Tensor, " goods"]) -> Float[Tensor, " n"]:
    """Return what each basket costs.

    baskets: how much of each good is in it, a basket a row.
    prices: one for each good.
    Returns n totals, in the order of the baskets.
    """
    ### BEGIN SOLUTION
    # TODO 1: multiply the amounts of each basket with the prices, and add up.
    return baskets @ prices
    ### END SOLUTION

"""Part 1: baskets.

Many baskets are paid for at once. A table has a row for each basket and a
column for each good. Each good has a price.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def totals(baskets: Float[Tensor, "n goods"], prices: Float[Tensor, " goods"]) -> Float[Tensor, " n"]:
    """Return what each basket costs.

    baskets: the amount of each good (column) in each basket (row).
    prices: the price of each good.
    Returns n totals, in the order of the baskets.
    """
    ### BEGIN SOLUTION
    # TODO 1: multiply the amounts of each basket with the prices, and add up.
    return baskets @ prices
    ### END SOLUTION

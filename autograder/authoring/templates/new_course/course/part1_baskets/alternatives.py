"""Right implementations of part 1 other than the reference. A cell has those of one step."""

import torch


# %% totals: a function of torch
def totals(baskets, prices):
    return torch.mv(baskets, prices)


# %% totals: products, then a sum
def totals(baskets, prices):
    return (baskets * prices).sum(dim=1)


# %% totals: basket by basket
def totals(baskets, prices):
    return torch.stack([basket @ prices for basket in baskets])

"""Known mistakes of part 1: what students write, and what a good teacher would answer."""

from torch import Tensor

from autograder.course.model import MistakeBank

BANK = MistakeBank()


@BANK.of("totals", "You add up how much is in each basket. Multiply with the prices first.")
def prices_forgotten(baskets: Tensor, prices: Tensor) -> Tensor:
    return baskets.sum(dim=1)


@BANK.of("totals", "You add up over the baskets: that is what is spent on each good. Add up over the goods.")
def added_over_baskets(baskets: Tensor, prices: Tensor) -> Tensor:
    return (baskets * prices).sum(dim=0)


@BANK.of("totals", "You take the mean. A total is a sum.")
def mean_taken(baskets: Tensor, prices: Tensor) -> Tensor:
    return (baskets * prices).mean(dim=1)

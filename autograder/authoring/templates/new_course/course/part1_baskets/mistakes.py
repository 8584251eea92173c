"""Known mistakes of part 1: wrong code that students write, and the answer of a good teacher."""

from torch import Tensor

from autograder.course.model import Mistakes


class totals(Mistakes):
    def prices_forgotten(baskets: Tensor, prices: Tensor) -> Tensor:
        """You add up how much is in each basket. Multiply with the prices first."""
        return baskets.sum(dim=1)

    def added_over_baskets(baskets: Tensor, prices: Tensor) -> Tensor:
        """You add up over the baskets: that is what is spent on each good. Add up over the goods."""
        return (baskets * prices).sum(dim=0)

    def mean_taken(baskets: Tensor, prices: Tensor) -> Tensor:
        """You take the mean. A total is a sum."""
        return (baskets * prices).mean(dim=1)

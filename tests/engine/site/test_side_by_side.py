"""Pictures side by side."""

import torch

from autograder.site.matrix import matrix
from autograder.site.side_by_side import beside

BEFORE = matrix(torch.tensor([0.25]), "before")
AFTER = matrix(torch.tensor([0.75]), "after")


def test_pictures_stand_in_one_row_in_reading_order() -> None:
    assert beside(BEFORE, AFTER).page == f'<div class="beside">{BEFORE.page}{AFTER.page}</div>'


def test_in_a_file_one_picture_follows_the_other() -> None:
    text = beside(BEFORE, AFTER).text

    assert text.index("before (1)") < text.index("0.2500") < text.index("after (1)") < text.index("0.7500")

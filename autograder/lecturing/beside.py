"""Pictures side by side, for before and after; one below the other where the page is narrow."""

from autograder.lecturing.drawn import Drawn


def beside(*pictures: Drawn) -> Drawn:
    """Return pictures in one row, in reading order."""
    page = f'<div class="beside">{"".join(picture.page for picture in pictures)}</div>'
    return Drawn(page, "\n".join(picture.text for picture in pictures))

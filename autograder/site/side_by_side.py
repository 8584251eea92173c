"""Pictures side by side, for before and after; one below the other where the page is narrow."""

from autograder.site.figure import Figure


def beside(*pictures: Figure) -> Figure:
    """Return pictures in one row, in reading order."""
    page = f'<div class="beside">{"".join(picture.page for picture in pictures)}</div>'
    return Figure(page, "\n".join(picture.text for picture in pictures))

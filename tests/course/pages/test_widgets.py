"""The widgets that `course.toml` names are those that lie in `docs/widgets`."""

import pytest

from autograder.workspace import COURSE

WIDGETS = COURSE.course.pages.widgets


@pytest.mark.parametrize("tag", WIDGETS)
def test_a_widget_reads_the_attributes_that_pages_give_it(tag: str) -> None:
    module = (COURSE.root / "docs" / "widgets" / f"{tag.replace('-', '_')}.mjs").read_text(encoding="utf-8")

    assert f'define("{tag}"' in module
    for attribute in (*WIDGETS[tag].needs, *WIDGETS[tag].takes):
        assert f'"{attribute.replace("_", "-")}"' in module

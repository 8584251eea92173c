"""How many bytes a reader waits for, as the browser counts them from a host that compresses."""

import pytest
from built_site import Site
from opened_site import Opened
from weighed import weigh

from .walk import Walk

pytestmark = pytest.mark.slow

FIRST_VISIT = 500_000
LECTURE = 60_000
WITH_MODELS = 400_000
"""The lecture that runs two models: each of them comes when the reader comes near."""


def test_the_first_visit_is_light(first_visit: Opened) -> None:
    with weigh(first_visit) as weighed:
        first_visit.visit("").wait_for_load_state("networkidle")

    assert 50_000 < weighed.of("") <= FIRST_VISIT


def test_a_lecture_adds_little_to_what_the_reader_has(walk: Walk) -> None:
    lectures = [page for page in walk.visited if page.startswith("lectures/")]
    weights = {lecture: walk.weighed.of(lecture, after="") for lecture in lectures}

    assert min(weights.values()) > 1_000
    most = dict.fromkeys(lectures, LECTURE) | {"lectures/live_gpt/": WITH_MODELS}
    assert {lecture: weight for lecture, weight in weights.items() if weight > most[lecture]} == {}


def test_no_rule_computes_the_style_of_every_element_while_a_page_sets_its_colours(site: Site) -> None:
    (palette,) = (site.folder / "assets" / "stylesheets").glob("palette.*.css")

    assert "data-md-color-scheme" in palette.read_text("utf-8")
    assert "data-md-color-switching" not in palette.read_text("utf-8")

"""How many bytes a reader waits for, as the browser counts them from a host that compresses."""

import pytest
from opened_site import Open, Opened

pytestmark = pytest.mark.slow

FIRST_VISIT = 500_000
LECTURE = 60_000


def transferred(opened: Opened, path: str) -> int:
    """Visit a page and return how many bytes came over the network, heads and bodies; the cache sends none."""
    sizes: list[int] = []
    session = opened.page.context.new_cdp_session(opened.page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    opened.page.goto(opened.site.address + path, wait_until="networkidle")
    session.detach()
    return sum(sizes)


def test_the_first_visit_is_light(open_site: Open) -> None:
    opened = open_site("sitemap.xml")

    assert 50_000 < transferred(opened, "") <= FIRST_VISIT


def test_a_lecture_adds_little_to_what_the_reader_has(open_site: Open) -> None:
    weights = {}
    for lecture in open_site("sitemap.xml").site.lectures:
        reader = open_site()
        reader.page.wait_for_load_state("networkidle")  # the search comes after everything else
        weights[lecture] = transferred(reader, lecture)
        reader.page.context.close()

    assert min(weights.values()) > 1_000
    assert {lecture: weight for lecture, weight in weights.items() if weight > LECTURE} == {}

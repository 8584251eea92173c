"""Figures of the pages equal those recorded in figures.txt, which `--record` writes anew; a name that looks like markup stays text."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from lxml import html

from autograder.site.charts import curves, graphs, spread
from autograder.site.figure import Figure
from autograder.site.flow import box, flow
from autograder.site.matrix import matrix
from autograder.site.plots import arrows, bars, directions
from autograder.site.quiz import quiz, right, wrong
from course.attention.pages.alignment import alignment
from course.attention.pages.head_maps import head_maps
from course.attention.pages.heads import by_head, head_flow
from course.attention.pages.links import chain, pairs
from course.attention.pages.memory_traffic import memory_traffic
from course.attention.pages.model_sheet import Stop, model_sheet
from course.attention.pages.sharing import sharing
from course.attention.pages.visibility import sight

RECORDED = Path(__file__).with_name("figures.txt")
EVIL = "<b>&"
TOKENS = ("Your", "journey", EVIL)
MATRIX = torch.tensor([[1.0, 0.0], [0.25, -0.75]])
HEADS = torch.arange(1.0, 13.0)  # two tokens, two heads of three numbers
FUTURE = torch.ones(3, 3).triu(1) == 1
WEIGHTS = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, 0.9, 0.0]])
EAST, NORTH = torch.tensor([2.0, 0.0]), torch.tensor([0.0, 2.0])

FIGURES = {
    "alignment": alignment({EVIL: (EAST, EAST / 2), "right angle": (EAST, NORTH)}, "Pairs"),
    "arrows": arrows(torch.tensor([[1.0, 0.0], [0.0, 2.0]]), (EVIL, "b"), "A walk", end="the sum"),
    "bars": bars(torch.tensor([0.25, 0.5]), (EVIL, "b"), "Two bars"),
    "chain": chain(TOKENS, "A chain"),
    "curves": curves({"linear": (1, 2, 4), EVIL: (1, 4, 16.5)}, (1, 2, 4), "Growth", unit="numbers"),
    "curves on logarithmic axes": curves({"a": (1, 100)}, (1, 10), "Growth", unit="numbers", logarithmic=True),
    "directions": directions({EVIL: (NORTH, "query"), "left": (-EAST, "key")}, "Two"),
    "flow": flow(box("inputs", torch.zeros(2, 6, 3)), "all <pairs>", box("scores", torch.zeros(6, 6)), caption="Two"),
    "graphs": graphs(torch.arange(3.0), {EVIL: torch.tensor([0.0, 1.0, 4.0])}, "One", across="steps", up="loss"),
    "head flow": head_flow(("weights", torch.ones(1, 2, 3, 3).tril(), "head query key"), caption="Two heads."),
    "head maps": head_maps({EVIL: WEIGHTS, "itself": torch.eye(3)}, TOKENS, "Two heads", framed=((2, 1),)),
    "heads of tokens": by_head(HEADS.view(1, 2, 2, 3), "split", "token head number"),
    "heads side by side": by_head(HEADS.view(1, 2, 6), "queries", "token head·number", rows=("Your", EVIL)),
    "heads with a mask": by_head(WEIGHTS.expand(1, 2, 3, 3), "weights", "head query key", hidden=FUTURE),
    "matrix": matrix(MATRIX, "weights", rows=("a", EVIL), columns=("c", "d"), role="weight"),
    "matrix of a mask": matrix(torch.tensor([True, False]), "mask"),
    "memory traffic": memory_traffic("large", "small", {EVIL: (10.0, 400.0), "b": (400.0, 0.0)}, "Traffic", most=400.0),
    "model sheet": model_sheet({"in": [Stop("scores", "(6, 6)", "scores.md#scores", "weight")]}, "One step"),
    "pairs": pairs(TOKENS, 0, "All pairs"),
    "quiz": quiz("What is `√4`?", wrong("4 < 5", "So it is."), right("2", "See [scores](scores.md#softmax).")),
    "sharing": sharing(4, {EVIL: 2}, "Heads"),
    "sight": sight(FUTURE, TOKENS, "A sentence", new=torch.eye(3, dtype=torch.bool)),
    "spread": spread({"d = 1": torch.tensor([-1.0, 1.0])}, "Spreads", reach=2.0),
}


def test_figures_are_those_that_are_recorded(request: pytest.FixtureRequest) -> None:
    now = "".join(f"=== {name}\n{drawn.page}\n--- in a file\n{drawn.text}\n" for name, drawn in FIGURES.items())
    if request.config.getoption("record"):
        RECORDED.write_text(now, encoding="utf-8")

    assert now == RECORDED.read_text(encoding="utf-8")


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_a_picture_has_a_name_and_a_name_is_never_markup(figure: Figure) -> None:
    page = html.fragment_fromstring(figure.page, create_parent="main")

    assert [
        one for one in page.xpath("//svg[@role='img']") if not (one.get("aria-label") or one.findtext("title"))
    ] == []
    assert not re.search(r"<b>&(?!amp;)", figure.page)
    assert figure.text


@pytest.mark.parametrize(
    "draw",
    [
        lambda: matrix(torch.zeros(2, 2, 2), "weights"),
        lambda: by_head(HEADS.view(1, 2, 6), "x", "head token number"),
        lambda: quiz("Which?", wrong("a", "b")),
        lambda: quiz("Which?", right("a", "b"), right("c", "d")),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], Figure]) -> None:
    with pytest.raises(ValueError, match=r"draw one matrix|no batch of one sentence|exactly one right answer"):
        draw()

"""The names that a page of any course begins with: what its blocks may draw with."""

from autograder.pages.cards import cards
from autograder.pages.curves import curves
from autograder.pages.embedding import widget
from autograder.pages.exercise import exercise
from autograder.pages.flow import box, flow
from autograder.pages.graphs import graphs
from autograder.pages.marks_schema import fields, meanings
from autograder.pages.matrix import matrix, shape_of
from autograder.pages.number_format import memory, shown
from autograder.pages.plots import arrows, bars, directions, spread
from autograder.pages.quiz import quiz, right, wrong
from autograder.pages.side_by_side import beside
from autograder.pages.written_line import write

__all__ = [
    "arrows",
    "bars",
    "beside",
    "box",
    "cards",
    "curves",
    "directions",
    "exercise",
    "fields",
    "flow",
    "graphs",
    "matrix",
    "meanings",
    "memory",
    "quiz",
    "right",
    "shape_of",
    "shown",
    "spread",
    "widget",
    "write",
    "wrong",
]

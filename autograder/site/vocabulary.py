"""The names that a page of any course begins with: what its blocks may draw with."""

from autograder.site.cards import cards
from autograder.site.curves import curves
from autograder.site.embedding import widget
from autograder.site.exercise import exercise
from autograder.site.flow import box, flow
from autograder.site.graphs import graphs
from autograder.site.marks_schema import fields, meanings
from autograder.site.matrix import matrix, shape_of
from autograder.site.number_format import memory, shown
from autograder.site.plots import arrows, bars, directions, spread
from autograder.site.quiz import quiz, right, wrong
from autograder.site.side_by_side import beside
from autograder.site.written_line import write

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

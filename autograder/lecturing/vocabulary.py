"""The names that a page of any course begins with: what its blocks may draw with."""

from autograder.lecturing.beside import beside
from autograder.lecturing.cards import cards
from autograder.lecturing.curves import curves
from autograder.lecturing.embedding import widget
from autograder.lecturing.exercise import exercise
from autograder.lecturing.flow import box, flow
from autograder.lecturing.graphs import graphs
from autograder.lecturing.matrix import matrix, shape_of
from autograder.lecturing.plots import arrows, bars, spread
from autograder.lecturing.printed import shown
from autograder.lecturing.quiz import quiz, right, wrong
from autograder.lecturing.schema import fields, meanings

__all__ = [
    "arrows",
    "bars",
    "beside",
    "box",
    "cards",
    "curves",
    "exercise",
    "fields",
    "flow",
    "graphs",
    "matrix",
    "meanings",
    "quiz",
    "right",
    "shape_of",
    "shown",
    "spread",
    "widget",
    "wrong",
]

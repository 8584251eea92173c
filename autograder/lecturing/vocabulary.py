"""The names that every page begins with: what its blocks may draw with."""

from autograder.course.sentences import JOURNEY_TOKENS, WARS_TOKENS, journey, lecture_weights, wars
from autograder.lecturing.alignment import alignment
from autograder.lecturing.beside import beside
from autograder.lecturing.cards import cards
from autograder.lecturing.curves import curves
from autograder.lecturing.embedding import widget
from autograder.lecturing.exercise import exercise
from autograder.lecturing.flow import box, flow
from autograder.lecturing.graphs import graphs
from autograder.lecturing.head_maps import head_maps
from autograder.lecturing.heads import by_head, head_flow
from autograder.lecturing.links import chain, pairs
from autograder.lecturing.matrix import matrix, shape_of
from autograder.lecturing.plots import arrows, bars, spread
from autograder.lecturing.printed import shown
from autograder.lecturing.quiz import quiz, right, wrong
from autograder.lecturing.schema import fields, meanings
from autograder.lecturing.sharing import sharing
from autograder.lecturing.sight import sight

__all__ = [
    "JOURNEY_TOKENS",
    "WARS_TOKENS",
    "alignment",
    "arrows",
    "bars",
    "beside",
    "box",
    "by_head",
    "cards",
    "chain",
    "curves",
    "exercise",
    "fields",
    "flow",
    "graphs",
    "head_flow",
    "head_maps",
    "journey",
    "lecture_weights",
    "matrix",
    "meanings",
    "pairs",
    "quiz",
    "right",
    "shape_of",
    "sharing",
    "shown",
    "sight",
    "spread",
    "wars",
    "widget",
    "wrong",
]

"""The names that the pages of this course begin with, beside those of any course."""

from course.attention.example_inputs import JOURNEY_TOKENS, WARS_TOKENS, journey, lecture_weights, wars
from course.attention.pages.alignment import alignment
from course.attention.pages.head_maps import head_maps
from course.attention.pages.heads import by_head, head_flow
from course.attention.pages.links import chain, pairs
from course.attention.pages.memory_traffic import memory_traffic
from course.attention.pages.model_sheet import model_sheet, stop
from course.attention.pages.sharing import sharing
from course.attention.pages.trained_heads import trained_head
from course.attention.pages.trained_words import trained_sentence
from course.attention.pages.visibility import sight

__all__ = [
    "JOURNEY_TOKENS",
    "WARS_TOKENS",
    "alignment",
    "by_head",
    "chain",
    "head_flow",
    "head_maps",
    "journey",
    "lecture_weights",
    "memory_traffic",
    "model_sheet",
    "pairs",
    "sharing",
    "sight",
    "stop",
    "trained_head",
    "trained_sentence",
    "wars",
]

"""The page on similar submissions: the pairs with their code side by side, in one file that needs nothing else."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from autograder.classroom.similarity.compare import AlikeStep, Pair, Similarity
from autograder.classroom.similarity.work import definitions
from autograder.sitting.submission import Source

MOST_SHOWN = 30
"""Pairs whose code is shown, and steps of each."""
MOST_LINES = 150

Modules = Callable[[str], Mapping[str, Source]]
"""Reads the modules of one of the people who were compared."""


@dataclass(frozen=True)
class SideBySide:
    """A step of a pair with the code of both."""

    alike: AlikeStep
    one: str
    other: str


def page_of(similarity: Similarity, modules: Modules) -> str:
    """Return the page. modules: reads those of one of the people compared."""
    templates = Environment(
        loader=ChoiceLoader(
            [PackageLoader("autograder.classroom.similarity"), PackageLoader("autograder.classroom.report")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = [(pair, _side_by_side(pair, modules)) for pair in similarity.pairs[:MOST_SHOWN]]
    return templates.get_template("similar.html").render(similarity=similarity, shown=shown, picture_style="")


def _side_by_side(pair: Pair, modules: Modules) -> list[SideBySide]:
    one, other = modules(pair.one), modules(pair.other)
    return [SideBySide(alike, _code(alike, one), _code(alike, other)) for alike in pair.steps[:MOST_SHOWN]]


def _code(alike: AlikeStep, modules: Mapping[str, Source]) -> str:
    """Return a step as it was written."""
    part, _, step = alike.step.partition(".")
    for block in modules[part].blocks:
        defined = definitions(Source(block.path, (block,)))
        if step in defined:
            return "\n".join(_lines(block.text, defined[step])[:MOST_LINES])
    return ""


def _lines(text: str, definition: ast.stmt) -> list[str]:
    decorators: list[ast.expr] = getattr(definition, "decorator_list", [])
    first = min([definition.lineno, *(decorator.lineno for decorator in decorators)])
    return text.split("\n")[first - 1 : definition.end_lineno]

"""The page on similar submissions: the pairs with their code side by side, in one file that needs nothing else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from autograder.classroom.similarity.compare import AlikeStep, Pair, Similarity
from autograder.classroom.similarity.wording import in_words
from autograder.classroom.similarity.work import definitions
from autograder.marking.mark import clean
from autograder.sitting.submission import Source

MOST_SHOWN = 30
"""Pairs whose code is shown, and steps and wording of each."""
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
    shown = [
        (pair, in_words(pair.wording, _texts(modules(pair.one)))[:MOST_SHOWN], _side_by_side(pair, modules))
        for pair in similarity.pairs[:MOST_SHOWN]
    ]
    return templates.get_template("similar.html").render(similarity=similarity, shown=shown, picture_style="")


def _texts(modules: Mapping[str, Source]) -> Iterator[str]:
    return (source.text for source in modules.values())


def _side_by_side(pair: Pair, modules: Modules) -> list[SideBySide]:
    one, other = modules(pair.one), modules(pair.other)
    return [SideBySide(alike, _code(alike, one), _code(alike, other)) for alike in pair.steps[:MOST_SHOWN]]


def _code(alike: AlikeStep, modules: Mapping[str, Source]) -> str:
    """Return a step as it was written, without what a browser does not show."""
    part, _, step = alike.step.partition(".")
    return "\n".join(map(clean, definitions(modules[part])[step].text.split("\n")[:MOST_LINES]))

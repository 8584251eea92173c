"""The page on similar submissions: the pairs with their code side by side, in one file that needs nothing else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from autograder.classroom.similarity.compare import AlikeStep, Pair, Similarity
from autograder.classroom.similarity.reader import Reading
from autograder.classroom.similarity.wording import in_words
from autograder.classroom.similarity.work import readings
from autograder.exam.syllabus import Syllabus
from autograder.grading.grade import clean
from autograder.submission.model import Submission

MOST_SHOWN = 30
"""Pairs whose code is shown, and steps and wording of each."""
MOST_LINES = 150

HandedIn = Callable[[str], Submission]
"""Reads what one of the people who were compared has handed in."""


@dataclass(frozen=True)
class SideBySide:
    """A step of a pair with the code of both."""

    alike: AlikeStep
    one: str
    other: str


def page_of(similarity: Similarity, handed_in: HandedIn, syllabus: Syllabus) -> str:
    """Return the page."""
    templates = Environment(
        loader=ChoiceLoader(
            [PackageLoader("autograder.classroom.similarity"), PackageLoader("autograder.classroom.report")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = []
    for pair in similarity.pairs[:MOST_SHOWN]:
        one, other = handed_in(pair.one), handed_in(pair.other)
        wording = in_words(pair.wording, (source.text for source in one.modules.values()))[:MOST_SHOWN]
        shown.append((pair, wording, list(_side_by_side(pair, one, other, syllabus))))
    return templates.get_template("similar.html").render(similarity=similarity, shown=shown, picture_style="")


def _side_by_side(pair: Pair, one: Submission, other: Submission, syllabus: Syllabus) -> Iterator[SideBySide]:
    steps = [alike.step for alike in pair.steps[:MOST_SHOWN]]
    code_of_one, code_of_other = _code(one, steps, syllabus), _code(other, steps, syllabus)
    for alike in pair.steps[:MOST_SHOWN]:
        yield SideBySide(alike, code_of_one[alike.step], code_of_other[alike.step])


def _code(submission: Submission, steps: Sequence[str], syllabus: Syllabus) -> dict[str, str]:
    """Return steps as they were written, each with what was read for it, without what a browser does not show."""
    found: dict[str, str] = {}
    for part in syllabus.parts:
        if not any(step.path in steps for step in part.steps):
            continue
        for path, reading in readings(submission, part, syllabus):
            definitions = reading.definitions if isinstance(reading, Reading) else ()
            lines = "\n\n\n".join(own.text for own in definitions).split("\n")[:MOST_LINES]
            found[path] = "\n".join(map(clean, lines))
    return found

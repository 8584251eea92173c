"""Drawing the numbers of a trace: each line, which of its tensors the reference has too, and the first that it has not."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from autograder.causes.place import Way
from autograder.course.answer import Answer
from autograder.course.shapes import write
from autograder.course.trace import Operation, Trace
from autograder.course.verdicts import Verdict
from autograder.drawing.matrices import Drawing
from autograder.drawing.screen import Signs
from autograder.exam.model import PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.marking.mark import clean
from autograder.marking.matrix_views import Picture, view_of
from autograder.marking.recognition import Likeness
from autograder.marking.statements import statements_of

SAID = {
    Likeness.EQUAL: "as in the reference",
    Likeness.RESHAPED: "the reference's numbers, in another shape",
    Likeness.REORDERED: "the reference's numbers, in another order",
    Likeness.PART: "a part of what the reference has",
    Likeness.MISPLACED: "the reference's numbers, at other places",
    Likeness.SCALED: "what the reference has, times a constant",
    Likeness.NONE: "not in the reference",
}
"""What is said of a tensor."""


class ValuesDrawing:
    """What a step makes in a case whose answer is wrong. texts: of the submission, by path."""

    def __init__(
        self,
        step: SyllabusStep,
        case: PaperCase,
        trace: Trace,
        answer: Answer,
        way: Way,
        texts: Mapping[str, str],
        signs: Signs,
    ) -> None:
        self._step, self._case, self._trace, self._answer = step, case, trace, answer
        self._way, self._texts, self._signs = way, texts, signs
        self._place = way.place()

    def lines(self) -> Iterator[RenderableType]:
        """Yield what is shown: the case, the lines with their tensors, the numbers where they depart, and what it means."""
        yield Text.assemble((self._step.path, "bold"), f", case {self._case.name}")
        last = ("", 0)
        for number, one in enumerate(self._trace.operations):
            if not self._is_shown(number, one):
                continue
            first = statements_of(self._texts.get(one.path, "")).first_line(one.span[0])
            if (one.path, first) != last:
                last = (one.path, first)
                yield self._statement(one.path, first)
            yield self._tensor(number, one)
            if self._place and self._place.number == number:
                yield from self._numbers(number)
        yield Text("")
        yield Text(clean(self._conclusion()))

    def _is_shown(self, number: int, one: Operation) -> bool:
        """Return whether a tensor is shown: one on the way to the answer that has a name, and the one that departs."""
        departs = self._place is not None and self._place.number == number
        named = statements_of(self._texts.get(one.path, "")).name(one.span)
        return departs or (bool(named) and self._way.leads_to_answer(number))

    def _statement(self, path: str, first: int) -> Text:
        text = clean(statements_of(self._texts.get(path, "")).text(first))
        return Text(f"line {first} of {path}: {text}") if self._signs.plain else Text(f"{first:>4}  {text}")

    def _tensor(self, number: int, one: Operation) -> Text:
        """Return the line of a tensor: whether the reference has its numbers, its name and shape."""
        departs = self._place is not None and self._place.number == number and self._place.how != "follows"
        likeness = self._way.found[number].likeness
        outcome = "failed" if departs else "passed" if likeness >= Likeness.PART else "open"
        name = clean(statements_of(self._texts.get(one.path, "")).name(one.span) or one.name)
        said = "something else than the reference" if departs and likeness == Likeness.NONE else SAID[likeness]
        if self._signs.plain:
            return Text(f"{name} is {write(one.made.shapes[-1])}: {said}.")
        style = {"passed": "green", "failed": "red", "open": "dim"}[outcome]
        sign = getattr(self._signs, outcome)
        return Text.assemble("      ", (sign, style), f" {name} {write(one.made.shapes[-1])}  ", (said, "dim"))

    def _numbers(self, number: int) -> Iterator[RenderableType]:
        """Yield the numbers that depart, beside those of the reference where it makes the same there."""
        yours, expected = self._trace.operations[number].made.last, self._way.instead(number)
        if yours is not None and expected is not None:
            picture = Picture("", expected, yours, ("",) * yours.ndim)
            yield Drawing(view_of(picture), self._signs)

    def _conclusion(self) -> str:
        if self._place:
            return self._place.diagnosis().where
        failure = self._answer.failure
        if failure and failure.kind == Verdict.NOT_ATTEMPTED:
            return "Not attempted yet."
        what = f"{failure.message.removesuffix('.')}. " if failure else ""
        return f"{what}Where it begins to go wrong cannot be told from the numbers."

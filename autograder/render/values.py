"""Drawing the numbers of a trace: each line, which of its tensors the reference has too, and the first that it has not."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from autograder.course.answer import Answer
from autograder.course.trace import Operation, Trace
from autograder.course.verdicts import Verdict
from autograder.diagnosis.reference_trace import Way
from autograder.exam.model import KeyCase, PaperCase
from autograder.exam.syllabus import SyllabusStep
from autograder.grading.grade import clean
from autograder.grading.matrix_views import Picture, view_of
from autograder.grading.recognition import Likeness
from autograder.render.lines import LineTable, Row, ShapeNames
from autograder.render.matrices import Drawing
from autograder.render.screen import Signs

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
        key: KeyCase,
        trace: Trace,
        answer: Answer,
        way: Way,
        texts: Mapping[str, str],
        signs: Signs,
    ) -> None:
        self._step, self._case, self._trace, self._answer = step, case, trace, answer
        self._way, self._signs = way, signs
        self._place = way.place()
        self._table = LineTable(texts, signs)
        self._names = ShapeNames(step, case, key.expected.outputs, trace.calls)

    def lines(self, width: int) -> Iterator[RenderableType]:
        """Yield what is shown: the case, the lines with their tensors, the numbers where they depart, and what it means."""
        yield Text.assemble((self._step.path, "bold"), f", case {self._case.name}")
        shown = ((number, one) for number, one in enumerate(self._trace.operations) if self._is_shown(number, one))
        lines = [(line, list(map(self._row, numbers))) for line, numbers in self._table.lines_of(shown).items()]
        yield from self._table.draw(lines, width)
        yield Text("")
        yield Text(clean(self._conclusion()))

    def _is_shown(self, number: int, one: Operation) -> bool:
        """Return whether a tensor is shown: one on the way to the answer that has a name, and the one that departs."""
        departs = self._place is not None and self._place.number == number
        return departs or (bool(self._table.name(one)) and self._way.leads_to_answer(number))

    def _row(self, number: int) -> Row:
        """Return a tensor with whether the reference has its numbers, and these below it where they depart."""
        one, likeness = self._trace.operations[number], self._way.found[number].likeness
        is_place = self._place is not None and self._place.number == number
        departs = self._place is not None and is_place and self._place.how != "follows"
        outcome = "failed" if departs else "passed" if likeness >= Likeness.PART else "open"
        said = "something else than the reference" if departs and likeness == Likeness.NONE else SAID[likeness]
        name = clean(self._table.name(one) or one.name)
        return Row(name, self._names.made(one.made), outcome, said, said, self._numbers(number) if is_place else None)

    def _numbers(self, number: int) -> Drawing | None:
        """Return the numbers that depart, beside those of the reference where it makes the same there."""
        yours, expected = self._trace.operations[number].made.last, self._way.instead(number)
        if yours is None or expected is None:
            return None
        return Drawing(view_of(Picture("", expected, yours, ("",) * yours.ndim)), self._signs)

    def _conclusion(self) -> str:
        if self._place:
            return self._place.diagnosis().where
        failure = self._answer.failure
        if failure and failure.kind == Verdict.NOT_ATTEMPTED:
            return "Not attempted yet."
        what = f"{failure.message.removesuffix('.')}. " if failure else ""
        return f"{what}Where it begins to go wrong cannot be told from the numbers."

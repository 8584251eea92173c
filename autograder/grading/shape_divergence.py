"""Where the shapes of a submission's tensors begin to differ from the reference's.

Its tensors are recognised by their numbers, whatever their names are and however they were made.
Correct code may take any way: there is a departure only if the result differs.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue, Value
from autograder.course.shapes import Shape
from autograder.course.trace import Made, Numbers, Trace, numbers_in
from autograder.exam.model import KeyCase, PaperCase


@dataclass(frozen=True)
class Departure:
    """What differs.

    output: the first output in another shape; None if nothing came out. operation: the number of the first operation that makes
    something else, None if no other shape shows it; instead: what the reference makes, if that is known.
    """

    output: str | None
    operation: int | None
    instead: Made | None = None


class Comparison:
    """What some code did in one case, beside what the reference does. departure: None if the same shapes come out."""

    def __init__(self, case: PaperCase, key: KeyCase, trace: Trace, answer: Answer) -> None:
        self.case, self.key, self.trace, self.answer = case, key, trace, answer
        inputs = (_made_of(value.shape, value) for value in case.inputs.values() if isinstance(value, np.ndarray))
        self._known = (*inputs, *key.way)
        self._places = [_place_of(one.made, self._known) for one in trace.operations]
        self.departure = self._depart()

    def beside(self, number: int) -> Made | None:
        """Return what the reference has of the same numbers as an operation makes; the case's inputs count too."""
        place = self._places[number]
        return None if place is None else self._known[place]

    def missing(self) -> list[str]:
        """Return the names of the tensors that must come out, and that the code has not made."""
        expected = self.key.expected.outputs.items()
        return [name for name, value in expected if isinstance(value, TensorValue) and self._maker_of(value) is None]

    def _depart(self) -> Departure | None:
        expected, yours = self.key.expected.outputs, self.answer.outputs
        if self.answer.failure:
            first = min(self._odd(self.trace.stop.takes if self.trace.stop else ()), default=None)
            return Departure(None, first, None if first is None else self._ahead_of(first))
        names = dict.fromkeys((*expected, *yours))
        wrong = [name for name in names if name not in yours or _shape(yours[name]) != _shape(expected.get(name))]
        for name in wrong:
            end, theirs = self._maker_of(yours.get(name)), expected.get(name)
            if end is not None and isinstance(theirs, TensorValue):
                first = min(self._odd([end]), default=end)
                return Departure(wrong[0], first, _made_of(theirs.shape) if first == end else self._ahead_of(first))
        return Departure(wrong[0], None) if wrong else None

    def _maker_of(self, value: Value | None) -> int | None:
        """Return the last operation that made an output."""
        if not isinstance(value, TensorValue):
            return None
        output = _made_of(value.shape, value.array)
        makers = (
            number
            for number, one in enumerate(self.trace.operations)
            if value.shape in one.made.shapes and (one.made.has_numbers_of(output, True) or not output.numbers)
        )
        return max(makers, default=None)

    def _odd(self, ends: Iterable[int]) -> set[int]:
        """Return the operations on the way to some others, from there back for as long as the reference makes nothing like them,
        in numbers or in shape. What is made piece by piece has the shape of a piece, so it does not count.
        """
        known = {shape for made in self._known for shape in made.shapes}
        known |= {value.shape for value in self.key.expected.outputs.values() if isinstance(value, TensorValue)}
        waiting, odd = list(ends), set[int]()
        while waiting:
            number = waiting.pop()
            one = self.trace.operations[number]
            if self._places[number] is None and one.made.times == 1 and one.made.shapes[0] not in known:
                odd.add(number)
                waiting.extend({*one.takes} - odd)
        return odd

    def _ahead_of(self, number: int) -> Made | None:
        """Return what the reference makes next, after what was recognised before an operation."""
        passed = max((place for place in self._places[:number] if place is not None), default=-1)
        mine = [one.made for one in self.trace.operations]
        ahead = (made for made in self._known[passed + 1 :] if not any(map(made.has_numbers_of, mine)))
        return next(ahead, None)


def _made_of(shape: Shape, array: Array | None = None) -> Made:
    return Made("", (), (shape,), 1, () if array is None else (Numbers(numbers_in([array])),))


def _place_of(made: Made, known: tuple[Made, ...]) -> int | None:
    """Return the place of what has the same numbers, best in the same shape."""
    alike = (place for place, other in enumerate(known) if made.has_numbers_of(other))
    return min(alike, key=lambda place: not made.is_same(known[place]), default=None)


def _shape(value: Value | None) -> Shape | None:
    return value.shape if isinstance(value, TensorValue) else None

"""Alignment: find the reference's tensor most similar to each tensor in a submission's trace.

Tensors are compared by values, not by names or operations. Right code may differ from the
reference, so a difference is reported only if the answer is wrong.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue, Value
from autograder.course.shapes import Shape
from autograder.course.trace import OUTSIDE, Made, Numbers, Trace
from autograder.diagnosis.places import span_spot, statements_of
from autograder.exam.model import KeyCase, PaperCase
from autograder.grading.compare import OTHER, Kind, Related, compare, numbers_of, tells
from autograder.grading.results import Diagnosis, Spot

ARRANGES = frozenset(("view", "reshape", "transpose", "permute", "T", "mT", "flatten", "swapaxes", "movedim"))
"""Names of operations that only reorder or reshape the elements of a tensor."""

REPEATS = frozenset(("expand", "expand_as", "broadcast_to", "repeat", "repeat_interleave", "tile", "[ ]"))
"""Names of operations that may repeat elements. `[ ]` is indexing."""

How = Literal["departs", "follows", "returns"]
"""The kinds of a Place. `departs`: the reported operation makes a wrong value. `follows`: this or a
later operation makes a wrong value. `returns`: all operations are right, but the code returns the
result of the wrong one."""


class Known(NamedTuple):
    """An input, an intermediate tensor or an output of the reference.

    shape: None if the operation ran several times and `numbers` holds the values of all runs.
    """

    numbers: Numbers
    shape: Shape | None


class Match(NamedTuple):
    """The relation of a submission's tensor to `known`, the most similar tensor of the reference."""

    related: Related
    known: Known | None = None

    @property
    def kind(self) -> Kind:
        """The relation of the values of the two tensors, such as permuted or equal."""
        return self.related.kind

    @property
    def departs(self) -> bool:
        """True if the values seem wrong: unrelated, scaled, or permuted in the same shape."""
        return self.kind <= Kind.SCALED or self.related.is_misplaced


NONE = Match(OTHER)


class Ends(NamedTuple):
    """The operations that made wrong outputs. is_rearranged: True if only order or shape is wrong."""

    wrong: set[int]
    is_rearranged: bool = False


@dataclass(frozen=True)
class Place:
    """The first difference in values between a submission and the reference.

    number: the index of the operation at fault; None if all operations are right. spot: the
    expression to report. right: the variable and the line of the last right value before the spot.
    """

    number: int | None
    spot: Spot
    right: tuple[str, int] | None
    how: How

    def diagnosis(self, known: Diagnosis | None = None) -> Diagnosis:
        """Return a diagnosis that names the line of this difference. known: a diagnosis to extend."""
        where = self._where()
        if not known:
            return Diagnosis("place", f"place_{self.how}", where, where, spot=self.spot)
        if self.how == "returns" or known.id == "changed_inputs":  # the wrong values may have another cause
            return known
        return replace(known, where=where, what=known.what or known.says, spot=self.spot)

    def _where(self) -> str:
        line, shown = self.spot.line, self.spot.text[self.spot.first : self.spot.last].strip()
        before = f" Before it, `{self.right[0]}` of line {self.right[1]} is right." if self.right else ""
        if self.how == "returns":
            return f"Your answer is `{shown}` of line {line}, which is not the result."
        if self.how == "follows":
            return f"Look from line {line} on: `{shown}`.{before}"
        return f"The first wrong value comes out of line {line}: `{shown}`.{before}"


class Alignment:
    """The alignment of a submission's trace with the reference's trace, for one case of a step.

    texts: the submission's sources, by path. others: the names of other steps. Mistakes in these are
    not reported. check: called before each search for a match; may raise to cancel the work.
    """

    def __init__(
        self,
        case: PaperCase,
        key: KeyCase,
        trace: Trace,
        answer: Answer,
        texts: Mapping[str, str] | None = None,
        others: Collection[str] = (),
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.case, self.key, self.trace, self.answer = case, key, trace, answer
        self._texts, self._others, self._check = texts or {}, others, check
        self._operations = trace.operations
        inputs = [value for value in case.inputs.values() if isinstance(value, np.ndarray)]
        self._inputs = [Known(numbers_of(value), value.shape) for value in inputs]
        outputs = [one.array for one in key.expected.outputs.values() if isinstance(one, TensorValue)]
        self._known = [*self._inputs, *_made_by(key.way)]
        self._known += [Known(numbers_of(one), one.shape) for one in outputs if one is not None]
        self._matches: dict[int, Match] = {}

    def match(self, number: int) -> Match:
        """Return the best match of an operation: a PART if only the last of its several tensors matches."""
        if number not in self._matches:
            self._check()
            made = self._operations[number].made
            found = [
                self._recognised(numbers, shape, made.name in REPEATS)
                for numbers, shape in zip(made.numbers, (made.shapes[-1], None), strict=False)
            ]
            if len(found) > 1 and found[0].kind > Kind.PART:
                found[0] = found[0]._replace(related=Related(Kind.PART)) if tells(made.numbers[0]) else NONE
            self._matches[number] = max(found, key=lambda one: one.related.rank, default=NONE)
        return self._matches[number]

    def _recognised(self, numbers: Numbers, shape: Shape | None, repeats: bool) -> Match:
        best = NONE
        if len(numbers.flat) and np.isfinite(numbers.flat).any():
            for known in self._known:
                related = compare(numbers, known.numbers, (shape, known.shape), repeats)
                if related.rank > best.related.rank:
                    best = Match(related, known)
                if related.kind == Kind.EQUAL:
                    break
        return best

    def _makers(self, value: Value | None) -> list[int]:
        if not isinstance(value, TensorValue):
            return []
        numbers = None if value.array is None else numbers_of(value.array)
        return [
            number
            for number, one in enumerate(self._operations)
            if numbers is None or any(numbers.are(made, True) for made in one.made.numbers)
        ]

    @functools.cached_property
    def place(self) -> Place | None:
        """The first difference in values; None if the difference is unknown, or in another step.

        If an output contains integers, the place is unknown: integers are often equal by chance.
        """
        outputs = (one.array for one in self.key.expected.outputs.values() if isinstance(one, TensorValue))
        if not self._operations or any(one is not None and one.dtype.kind in "iu" for one in outputs):
            return None
        if not self._departing:
            return self._returned()
        number = self._departing[0]
        one = self._operations[number]
        changes_unseen = {*one.takes} == {number}  # such as an optimiser's step: the mistake may be earlier
        if self._step_of(number) in self._others or changes_unseen:
            return None
        begun = self._first_arranged(number)
        if self._spot(begun).line == self._spot(number).line and (begun != number or self._is_certain(number)):
            return self._described(begun, "departs")
        found = self._described(begun, "follows")
        return found if found.right or begun != number else None

    def lines(self, path: str) -> tuple[int, ...]:
        """Return the lines of a file that may contain the mistake, the most likely line first."""
        place = [self.place.spot] if self.place else []
        taken = [other for number in self._departing[:1] for other in self._operations[number].takes]
        spots = [*place, *(self._spot(number) for number in (*self._departing, *(taken if place else ())))]
        places = [(one.file, one.line) for one in spots]
        places += [(file, line) for file, line, _ in (self.trace.stop.lines if self.trace.stop else ())]
        return tuple(dict.fromkeys(line for file, line in places if file == path))

    def instead(self, number: int) -> Array | None:
        """Return the values that an operation should make; None if unknown, or of another shape."""
        made, match = self._operations[number].made, self.match(number)
        if match.related.is_misplaced and match.known and match.known.shape == made.shapes[-1]:
            return match.known.numbers.flat.reshape(match.known.shape)
        alike = (other for other in self.key.way if other.name == made.name and self._take_the_same(made, other))
        return next((other.last for other in alike if other.shapes[-1] == made.shapes[-1]), None)

    @functools.cached_property
    def _ends(self) -> Ends:
        """The operations that made the wrong outputs, or the operands of the operation that raised."""
        if self.answer.failure:
            return Ends({*(self.trace.stop.takes if self.trace.stop else ())})
        wrong, right, kinds = set[int](), set[int](), list[Kind]()
        for name, yours in self.answer.outputs.items():
            if not isinstance(yours, TensorValue) or yours.array is None:
                continue
            theirs, makers, related = self.key.expected.outputs.get(name), self._makers(yours), OTHER
            if isinstance(theirs, TensorValue) and theirs.array is not None:
                related = compare(numbers_of(yours.array), numbers_of(theirs.array), (yours.shape, theirs.shape))
            if related.kind == Kind.EQUAL and isinstance(theirs, TensorValue) and yours.shape == theirs.shape:
                right.update(makers)
            else:
                kinds.append(related.kind)
                wrong.update(makers[-1:] or self.trace.ends)
        return Ends(wrong - right, bool(kinds) and {*kinds} <= {Kind.PERMUTED, Kind.RESHAPED})

    @functools.cached_property
    def on_way(self) -> set[int]:
        """The indices of the operations on which the wrong answer depends."""
        return self._before(self._ends.wrong)

    @functools.cached_property
    def _departing(self) -> list[int]:
        """The indices of operations that make a wrong value although their operands are not wrong."""
        departing = [number for number in sorted(self.on_way) if self._departs(number)]
        found = {*departing}
        return [
            one for one in departing if not any(other in found for other in self._operations[one].takes if other < one)
        ]

    def _before(self, ends: Iterable[int]) -> set[int]:
        """Return `ends` and the operations on which `ends` depends, outside of any `__init__`."""
        waiting, found = list(ends), set[int]()
        while waiting:
            number = waiting.pop()
            if number not in found and not self._operations[number].function.endswith("__init__"):
                found.add(number)
                waiting += self._operations[number].takes
        return found

    @functools.cached_property
    def _recovered(self) -> set[int]:
        """The earlier operations on which a right operation depends. Their values count as right."""
        recovered = set[int]()
        for number in sorted(self.on_way, reverse=True):
            if number in recovered or self._is_known_again(number):
                recovered.update(other for other in self._operations[number].takes if other < number)
        return recovered

    def _is_known_again(self, number: int) -> bool:
        return self.match(number).kind >= Kind.RESHAPED and tells(self._operations[number].made.numbers[0])

    @functools.cached_property
    def _constant(self) -> set[int]:
        """The indices of the operations whose results depend on no input."""
        constant = set[int]()
        for number, one in enumerate(self._operations):
            takes_a_shape = one.name.endswith("_like") or one.name.startswith("new_")
            if takes_a_shape or all(other in constant for other in one.made.takes):
                constant.add(number)
        return constant

    def _departs(self, number: int) -> bool:
        one, match = self._operations[number].made, self.match(number)
        is_constant = number in self._constant and not self.on_way <= self._constant
        if number in self._recovered or not one.numbers or is_constant:
            return False
        if self._ends.is_rearranged:  # the values are right: only reordering operations can be wrong
            return match.kind == Kind.PERMUTED
        if self.answer.failure and one.times > 1:  # the loop had not ended
            return False
        return match.departs

    def _first_arranged(self, number: int) -> int:
        """Return the first of the wrong reorderings that lead to `number`; `number` if there are none."""
        for other in (one for one in self._operations[number].takes if one < number):
            one = self._operations[other]
            is_odd = self.match(other).kind in (Kind.PERMUTED, Kind.RESHAPED) and one.name in ARRANGES
            if is_odd and self._step_of(other) not in self._others:
                return self._first_arranged(other)
        return number

    def _is_certain(self, number: int) -> bool:
        """Return whether an operation is wrong even though right code may differ from the reference."""
        made, match = self._operations[number].made, self.match(number)
        if match.kind == Kind.SCALED or match.related.is_misplaced or number in self._ends.wrong:
            return True
        if any(other.name == made.name and self._take_the_same(made, other) for other in self.key.way):
            return True
        line = self._operations[number].span[0]
        return all(self._operations[other].span[0] == line for other in self.on_way if other > number)

    def _take_the_same(self, mine: Made, theirs: Made) -> bool:
        pairs = [*zip(mine.takes, theirs.takes, strict=False)]
        if len(mine.takes) != len(theirs.takes) or all(OUTSIDE in pair for pair in pairs):
            return False
        return all(
            mine == theirs if OUTSIDE in (mine, theirs) else self._operations[mine].made.is_same(self.key.way[theirs])
            for mine, theirs in pairs
        )

    def _returned(self) -> Place | None:
        last = max(self._ends.wrong & self.on_way, default=None)
        made_by = {number for one in self.answer.outputs.values() for number in self._makers(one)}
        if last is None or last not in made_by or self._step_of(last) != self.case.step:
            return None
        return self._described(last, "returns" if self._is_known_again(last) else "departs")

    def _step_of(self, number: int) -> str:
        return self._operations[number].function.partition(".")[0]

    def _described(self, number: int, how: How) -> Place:
        return Place(None if how == "returns" else number, self._spot(number), self._right_before(number), how)

    def _spot(self, number: int) -> Spot:
        one = self._operations[number]
        return span_spot(one.path, one.span, self._texts.get(one.path, ""))

    def _right_before(self, number: int) -> tuple[str, int] | None:
        """Return the variable and line of the last right value that an operation's line depends on."""
        at = self._operations[number]
        same_line = [one for one in self.on_way if self._operations[one].span[0] == at.span[0]]
        for other in sorted(self._before(same_line) & self.on_way - self._constant, reverse=True):
            one, kind = self._operations[other], self.match(other).kind
            name = statements_of(self._texts.get(one.path, "")).name(one.span)
            is_right = kind == Kind.EQUAL or (kind == Kind.RESHAPED and one.made.times > 1)
            is_before = other < number and one.function == at.function and one.span[0] != at.span[0]
            if is_before and is_right and name not in ("", "return") and any(map(tells, one.made.numbers)):
                return name, one.span[0]
        return None


def _made_by(way: Iterable[Made]) -> Iterator[Known]:
    for made in way:
        for several, numbers in enumerate(made.numbers):
            yield Known(numbers, None if several else made.shapes[-1])

"""The alignment of a trace with the reference's: which tensors both make, and where shapes and numbers begin to differ.

A tensor is recognised by its numbers, whatever its name is and however it was made. Correct code may take any way: nothing
departs unless the answer is wrong.
"""

import ast
import functools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue, Value
from autograder.course.shapes import Shape
from autograder.course.tolerances import NEARLY
from autograder.course.trace import OUTSIDE, Made, Numbers, Trace
from autograder.diagnosis.logical_lines import span_of, statements_of
from autograder.exam.model import Exam, KeyCase, Paper, PaperCase
from autograder.grading.compare import Kind, Related, compare, factor, is_part, numbers_of, tells
from autograder.grading.results import Diagnosis, Spot
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption, run
from autograder.submission.model import Submission
from autograder.submission.parsed import parsed

CREATES = frozenset(
    [
        *("ones", "zeros", "full", "empty", "eye", "arange", "linspace", "tensor", "as_tensor"),
        *("zeros_like", "ones_like", "full_like", "empty_like"),
    ]
)
"""Operations that make a tensor of no other's numbers."""

ARRANGES = frozenset(("view", "reshape", "transpose", "permute", "T", "mT", "flatten", "swapaxes", "movedim"))
"""Operations that only arrange numbers in another way."""

CUTS = frozenset(("chunk", "split", "tensor_split", "unbind"))
"""Operations that cut a tensor into pieces: of the order of all numbers only what joins the pieces decides."""

REPEATS = frozenset(("expand", "expand_as", "broadcast_to", "repeat", "repeat_interleave", "tile", "[ ]"))
"""Operations that repeat numbers."""

LARGEST_SQUARE = 500
"""Up to this a factor is told as the root of a whole number: what is larger may be near one by chance."""

How = Literal["departs", "follows", "returns"]
"""An operation makes something else; it or one that follows does; what comes out is something else."""


class Known(NamedTuple):
    """A tensor of a right way. made: by which of the reference's operations, if any. shape: None for several together."""

    numbers: Numbers
    shape: Shape | None
    made: int | None = None


class Match(NamedTuple):
    """The closest relative of a tensor, and the relation."""

    related: Related
    known: Known | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the relation."""
        return self.related.kind

    @property
    def departs(self) -> bool:
        """True if a right way has nothing like it: other numbers, or the right ones at other places."""
        return self.kind <= Kind.SCALED or self.related.is_misplaced

    @property
    def has_numbers(self) -> bool:
        """True if it has all the numbers of its relative, in any order."""
        return self.kind in (Kind.PERMUTED, Kind.RESHAPED, Kind.EQUAL)


NONE = Match(Related(Kind.OTHER))


@dataclass(frozen=True)
class Ends:
    """The operations that made what is wrong. is_elsewhere: whether that has come about elsewhere, as when a module is made.

    is_changed_later: whether something is that the code made. is_rearranged: whether all numbers are right, in another order.
    has_more: whether some has come about elsewhere.
    """

    wrong: set[int]
    is_elsewhere: bool = False
    is_changed_later: bool = False
    is_rearranged: bool = False
    has_more: bool = False


@dataclass(frozen=True)
class Departure:
    """The place where shapes differ.

    output: the first output in another shape; None if nothing came out. operation: the number of the first operation that makes
    something else, None if no other shape shows it; instead: what the reference makes, if that is known.
    """

    output: str | None
    operation: int | None
    instead: Made | None = None


@dataclass(frozen=True)
class Place:
    """The place where numbers differ.

    number: of the operation, if there is one. spot: the expression. right: the last thing before it that is right, as it is called in the
    code, and its line. factors: by what something known is multiplied there and by what the reference multiplies it, 1 for nothing, if only
    that is wrong. more: whether a module has been made with something wrong, too.
    """

    number: int | None
    spot: Spot
    right: tuple[str, int] | None
    how: How
    factors: tuple[float, float] | None = None
    more: bool = False

    def diagnosis(self, known: Diagnosis | None = None) -> Diagnosis:
        """Return the cause. known: of the whole answer; the place is added to it."""
        where = self._where()
        # where numbers depart nothing need be written into an input; a factor explains no exception
        is_another = known and (
            self.how == "returns" or known.id == "changed_inputs" or (self.factors and known.kind == "exception")
        )
        if known and is_another:
            return known
        if known and self.factors and known.kind == "influence" and known.picture:
            return replace(self.diagnosis(), more=True)  # a factor mixes nothing: two mistakes
        if known:
            return replace(known, where=where, what=known.what or known.says, spot=self.spot)
        what = _multiplied(*self.factors) if self.factors else ""
        return Diagnosis("place", f"place_{self.how}", where, where, what=what, spot=self.spot, more=self.more)

    def _where(self) -> str:
        line, shown = self.spot.line, self.spot.text[self.spot.first : self.spot.last].strip()
        before = f" Before it, `{self.right[0]}` of line {self.right[1]} is right." if self.right else ""
        if self.how == "returns":
            return f"Line {line} returns `{shown}`, which is not the result.{before}"
        if self.how == "follows":
            return f"Look from line {line} on: `{shown}`.{before}"
        return f"The first wrong value comes out of line {line}: `{shown}`.{before}"


def _multiplied(by: float, right: float) -> str:
    instead = f"it should be {_root_of(right)}" if right != 1 else "here nothing is scaled"
    return f"What goes in is multiplied by {_root_of(by)}; {instead}."


def _root_of(factor: float) -> str:
    """Return a factor as a whole number, its root, or one divided by these, where it is one."""
    for value, before in ((factor, ""), (1 / factor, "1/")):
        square = round(value**2)
        if 1 < square < LARGEST_SQUARE and math.isclose(value**2, square, rel_tol=NEARLY):
            root = math.isqrt(square)
            return f"{before}{root}" if root**2 == square else f"{before}√{square}"
    return f"{factor:.4g}"


def run_traced(
    exam: Exam,
    submission: Submission,
    case: PaperCase,
    runner: Runner,
    timeout: float,
    interruption: Interruption,
) -> tuple[Trace, Answer]:
    """Run a submission once more on a case, and return what it does on its way; nothing if that cannot be seen.

    timeout, interruption: as `run` takes them. Raises CannotRun and Interrupted.
    """
    steps, paper = {case.part: frozenset({case.step})}, Paper((case,))
    done = run(runner, submission, exam.syllabus, paper, steps, timeout, interruption=interruption, trace=True)
    found = done.parts[case.part]
    return found.traces.get(case.path, Trace()), found.answers.get(case.path, Answer())


class Alignment:
    """The trace of some code in one case, aligned with the reference's.

    texts: of the submission, by path. others: the names of other steps, which are not to blame. check: called now and then; what it
    raises ends the work.
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
        """Return what an operation's tensor is most like. Of several turns the last one alone is a part at most, if it tells."""
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

    def beside(self, number: int) -> Made | None:
        """Return what the reference has of the same numbers as an operation makes; the case's inputs count too."""
        match = self.match(number)
        if not match.has_numbers or not match.known:
            return None
        made, shape = match.known.made, match.known.shape
        if made is not None:
            return self.key.way[made]
        return None if shape is None else Made("", (), (shape,), 1, (match.known.numbers,))

    def missing(self) -> list[str]:
        """Return the names of the tensors that must come out, and that the code has not made."""
        outputs = self.key.expected.outputs
        return [name for name, one in outputs.items() if isinstance(one, TensorValue) and not self._makers(one, True)]

    def _makers(self, value: Value | None, in_shape: bool = False) -> list[int]:
        """Return the operations that made an output."""
        if not isinstance(value, TensorValue):
            return []
        numbers = None if value.array is None else numbers_of(value.array)
        return [
            number
            for number, one in enumerate(self._operations)
            if (not in_shape or value.shape in one.made.shapes)
            and (numbers is None or any(numbers.are(made, True) for made in one.made.numbers))
        ]

    # shapes

    @functools.cached_property
    def departure(self) -> Departure | None:
        """The first place where shapes differ; None if the same shapes come out."""
        expected, yours = self.key.expected.outputs, self.answer.outputs
        if self.answer.failure:
            first = min(self._odd(self.trace.stop.takes if self.trace.stop else ()), default=None)
            return Departure(None, first, None if first is None else self._ahead_of(first))
        names = dict.fromkeys((*expected, *yours))
        wrong = [name for name in names if name not in yours or _shape(yours[name]) != _shape(expected.get(name))]
        for name in wrong:
            end, theirs = max(self._makers(yours.get(name), True), default=None), _shape(expected.get(name))
            if end is not None and theirs is not None:
                first = min(self._odd([end]), default=end)
                instead = Made("", (), (theirs,), 1, ()) if first == end else self._ahead_of(first)
                return Departure(wrong[0], first, instead)
        return Departure(wrong[0], None) if wrong else None

    def _odd(self, ends: Iterable[int]) -> set[int]:
        """Return the operations on the way to some others, from there back for as long as the reference makes nothing like them,
        in numbers or in shape. What is made piece by piece has the shape of a piece, so it does not count.
        """
        known = {shape for made in self.key.way for shape in made.shapes} | {one.shape for one in self._inputs}
        known |= {value.shape for value in self.key.expected.outputs.values() if isinstance(value, TensorValue)}
        waiting, odd = list(ends), set[int]()
        while waiting:
            number = waiting.pop()
            made = self._operations[number].made
            if self.beside(number) is None and made.times == 1 and made.shapes[0] not in known:
                odd.add(number)
                waiting.extend({*self._operations[number].takes} - odd)
        return odd

    def _ahead_of(self, number: int) -> Made | None:
        """Return what the reference makes next, after what was recognised before an operation."""
        places = (match.known.made for match in map(self.match, range(number)) if match.has_numbers and match.known)
        passed = max((place for place in places if place is not None), default=-1)
        mine = [one.made for one in self._operations]
        ahead = (made for made in self.key.way[passed + 1 :] if not any(map(made.has_numbers_of, mine)))
        return next(ahead, None)

    # numbers

    @functools.cached_property
    def place(self) -> Place | None:
        """The first place where numbers differ; None if it is not known, or in another step.

        Whole numbers are alike by chance: of an answer of these nothing is known.
        """
        outputs = (one.array for one in self.key.expected.outputs.values() if isinstance(one, TensorValue))
        if not self._operations or any(one is not None and one.dtype.kind in "iu" for one in outputs):
            return None
        if not self._departing:
            return self._returned()
        number = self._departing[0]
        one = self._operations[number]
        changes_unseen = {*one.takes} == {number}  # as an optimizer does, for what may have been wrong before
        if one.function.partition(".")[0] in self._others or changes_unseen:
            return None
        begun = self._first_arranged(number)
        if self._spot(begun).line != self._spot(number).line:
            return self._described(begun, "follows")
        if begun != number or self._is_certain(number):
            return self._described(begun, "departs")
        found = self._described(number, "follows")
        return found if found.right else None

    def lines(self, path: str) -> tuple[int, ...]:
        """Return the lines of a file in which the mistake may be, the likeliest first, though it is not sure."""
        place = [self.place.spot] if self.place else []
        taken = [other for number in self._departing[:1] for other in self._operations[number].takes]
        spots = [*place, *(self._spot(number) for number in (*self._departing, *(taken if place else ())))]
        return tuple(dict.fromkeys(one.line for one in spots if one.file == path))

    def leads_to_answer(self, number: int) -> bool:
        """Return whether the wrong answer depends on an operation."""
        return number in self._on_way

    def instead(self, number: int) -> Array | None:
        """Return what the reference makes of the same in an operation's place, if it does and in the same shape."""
        made, match = self._operations[number].made, self.match(number)
        if match.related.is_misplaced and match.known and match.known.shape == made.shapes[-1]:
            return match.known.numbers.flat.reshape(match.known.shape)
        alike = (other for other in self.key.way if other.name == made.name and self._take_the_same(made, other))
        return next((other.last for other in alike if other.shapes[-1] == made.shapes[-1]), None)

    @functools.cached_property
    def _ends(self) -> "Ends":
        """The operations that made what is wrong."""
        if self.answer.failure:
            return Ends({*(self.trace.stop.takes if self.trace.stop else ())})
        wrong, right, given, orders, is_changed_later = set[int](), set[int](), list[bool](), list[bool](), False
        for name, yours in self.answer.outputs.items():
            if not isinstance(yours, TensorValue) or yours.array is None:
                continue
            theirs, mine, makers = self.key.expected.outputs.get(name), numbers_of(yours.array), self._makers(yours)
            expected = theirs.array if isinstance(theirs, TensorValue) else None
            related = (
                compare(mine, numbers_of(expected), (yours.shape, expected.shape))
                if expected is not None
                else NONE.related
            )
            if related.kind == Kind.EQUAL and expected is not None and expected.shape == yours.shape:
                right |= {*makers}
                continue
            orders.append(related.kind in (Kind.PERMUTED, Kind.RESHAPED))
            given.append(bool(makers) and self._is_given(makers[-1]))
            wrong |= set(makers[-1:]) or set(self.trace.ends)
            is_changed_later |= not makers and bool(self.trace.ends)
        is_elsewhere = not orders or (bool(wrong) and wrong <= right)
        is_rearranged = bool(orders) and all(orders)
        return Ends(wrong - right, is_elsewhere, is_changed_later, is_rearranged, any(given) and not all(given))

    @functools.cached_property
    def _on_way(self) -> set[int]:
        return self._before(self._ends.wrong)

    @functools.cached_property
    def _departing(self) -> list[int]:
        """The operations that depart though nothing that they take does."""
        departing = [number for number in sorted(self._on_way) if self._departs(number)]
        found = {*departing}
        return [
            one for one in departing if not any(other in found for other in self._operations[one].takes if other < one)
        ]

    def _before(self, ends: Iterable[int]) -> set[int]:
        """Return some operations and those on whose results they depend; without those of a module that is made."""
        waiting, found = list(ends), set[int]()
        while waiting:
            number = waiting.pop()
            if number not in found and not self._is_given(number):
                found.add(number)
                waiting += self._operations[number].takes
        return found

    def _is_given(self, number: int) -> bool:
        return self._operations[number].function.endswith("__init__")

    @functools.cached_property
    def _recovered(self) -> set[int]:
        """The operations of which something known is made later, in the same round of a loop."""
        recovered = set[int]()
        for number in sorted(self._on_way, reverse=True):
            if number in recovered or self._is_known_again(number):
                recovered.update(other for other in self._operations[number].takes if other < number)
        return recovered

    def _is_known_again(self, number: int) -> bool:
        return self.match(number).kind >= Kind.RESHAPED and tells(self._operations[number].made.numbers[0])

    @functools.cached_property
    def _constant(self) -> set[int]:
        """The operations whose results depend on no input."""
        constant = set[int]()
        for number, one in enumerate(self._operations):
            alone = one.name in CREATES or one.name.startswith("new_")
            if alone or (one.takes and all(other in constant for other in one.made.takes)):
                constant.add(number)
        return constant

    def _departs(self, number: int) -> bool:
        one, match = self._operations[number].made, self.match(number)
        if (
            number in self._recovered
            or not one.numbers
            or (number in self._constant and not self._on_way <= self._constant)
        ):
            return False
        if self._ends.is_rearranged:  # all numbers are right, so only what brings them into another order is wrong
            return match.kind == Kind.PERMUTED and one.name not in CUTS
        if self.answer.failure and one.times > 1:  # the loop has not come to its end
            return False
        return match.departs and not self._is_scaled_as_in_reference(number)

    @functools.cached_property
    def _scaled(self) -> list[tuple[Numbers, float]]:
        """The numbers that the reference scales, each with its factor."""
        return [(made.numbers[0], by) for made in self.key.way if (by := self._factor_of(made))]

    def _factor_of(self, made: Made) -> float | None:
        taken = [self.key.way[one].numbers[:1] for one in made.takes if one != OUTSIDE] or [
            (one.numbers,) for one in self._known if one.made is None
        ]
        pairs = ((mine, theirs) for mine in made.numbers[:1] for one in taken for theirs in one)
        found = (factor(mine, theirs) for mine, theirs in pairs if tells(theirs))
        return next((by for by in found if by is not None and not math.isclose(by, 1, rel_tol=NEARLY)), None)

    def _is_scaled_as_in_reference(self, number: int) -> bool:
        """Return whether something known is scaled as the reference scales something, only at another time."""
        by = self.match(number).related.by
        return by is not None and any(math.isclose(by, one, rel_tol=NEARLY) for _, one in self._scaled)

    def _multiplies(self, number: int) -> tuple[float, float] | None:
        """Return by what an operation multiplies something known, and by what the reference does, 1 for nothing; None if that is not plain."""
        (related, known), name = self.match(number), self._operations[number].name
        if related.by is None or known is None or name not in ("*", "/"):
            return None
        divided = ((one.flat[np.isfinite(one.flat)] / np.float32(by), by) for one, by in self._scaled)
        right = next((by for one, by in divided if is_part(Numbers(one), known.numbers)), None)
        return None if self._scaled and right is None else (related.by, right or 1.0)

    def _first_arranged(self, number: int) -> int:
        """Return the first of the operations that only arrange what an operation takes, each as the reference never does; else it."""
        for other in (one for one in self._operations[number].takes if one < number):
            one = self._operations[other]
            is_odd = self.match(other).kind in (Kind.PERMUTED, Kind.RESHAPED) and one.name in ARRANGES
            if is_odd and one.function.partition(".")[0] not in self._others:
                return self._first_arranged(other)
        return number

    def _is_certain(self, number: int) -> bool:
        """Return whether an operation that departs is wrong, and none after it; it may be a step of another right way."""
        made, match = self._operations[number].made, self.match(number)
        if match.kind == Kind.SCALED or match.related.is_misplaced or number in self._ends.wrong:
            return True
        if any(other.name == made.name and self._take_the_same(made, other) for other in self.key.way):
            return True
        line = self._operations[number].span[0]
        return all(self._operations[other].span[0] == line for other in self._on_way if other > number)

    def _take_the_same(self, mine: Made, theirs: Made) -> bool:
        pairs = [*zip(mine.takes, theirs.takes, strict=False)]
        if len(mine.takes) != len(theirs.takes) or all(OUTSIDE in pair for pair in pairs):
            return False
        return all(
            mine == theirs if OUTSIDE in (mine, theirs) else self._operations[mine].made.is_same(self.key.way[theirs])
            for mine, theirs in pairs
        )

    def _returned(self) -> Place | None:
        """Return the end, if all is right but that something else should come out."""
        ends = self._ends
        if self.answer.failure or ends.is_elsewhere or ends.is_changed_later or (ends.wrong and not self._on_way):
            return None
        last = max(ends.wrong & self._on_way, default=None)
        own = [one for one in sorted(ends.wrong & self._on_way) if self._is_own(one)]
        if last in own and last is not None and not self._is_known_again(last):
            return self._described(last, "departs")
        spot = _return_spot(self.case.step, self._texts)
        return Place(None, spot, next(filter(None, map(self._named, reversed(own))), None), "returns") if spot else None

    def _is_own(self, number: int) -> bool:
        """Return whether an operation is in the step's own definition."""
        return self._operations[number].function.partition(".")[0] == self.case.step

    def _described(self, number: int, how: How) -> Place:
        right = next(filter(None, map(self._named, self._right_before(number))), None)
        return Place(number, self._spot(number), right, how, self._multiplies(number), self._ends.has_more)

    def _spot(self, number: int) -> Spot:
        return _spot_at(self._operations[number].path, self._operations[number].span, self._texts)

    def _right_before(self, number: int) -> Iterator[int]:
        """Yield what is right of what an operation's line is made of, the last first."""
        line, function = self._operations[number].span[0], self._operations[number].function
        same_line = [one for one in self._on_way if self._operations[one].span[0] == line]
        for other in sorted(self._before(same_line) & self._on_way - self._constant, reverse=True):
            one, kind = self._operations[other], self.match(other).kind
            is_right = kind == Kind.EQUAL or (kind == Kind.RESHAPED and one.made.times > 1)
            is_before = other < number and one.function == function and one.span[0] != line
            if is_before and is_right and any(map(tells, one.made.numbers)):
                yield other

    def _named(self, number: int) -> tuple[str, int] | None:
        """Return the name that the code gives to what an operation makes, and the line."""
        one = self._operations[number]
        name = statements_of(self._texts.get(one.path, "")).name(one.span)
        return (name, one.span[0]) if name and name != "return" else None


def _made_by(way: Iterable[Made]) -> Iterator[Known]:
    for place, made in enumerate(way):
        for several, numbers in enumerate(made.numbers):
            yield Known(numbers, None if several else made.shapes[-1], place)


def _shape(value: Value | None) -> Shape | None:
    return value.shape if isinstance(value, TensorValue) else None


def line_spot(path: str, line: int, texts: Mapping[str, str]) -> Spot:
    """Return the place of a whole line."""
    lines = texts.get(path, "").splitlines()
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return Spot(path, line, len(text) - len(text.lstrip()), len(text.rstrip()), text)


def _spot_at(path: str, span: tuple[int, ...], texts: Mapping[str, str]) -> Spot:
    """Return the place of an expression, as far as it is in its first line."""
    first, last, begin, end = span
    text = line_spot(path, first, texts).text
    ends = begin, end if last == first else len(text.encode())
    left, right = (len(text.encode()[:column].decode(errors="ignore")) for column in ends)
    return Spot(path, first, left, right, text)


def _return_spot(step: str, texts: Mapping[str, str]) -> Spot | None:
    """Return what a step returns, if its function or its `forward` does so at one place."""
    for path, text in texts.items():
        for node in (one for one in parsed(text).statements if isinstance(one, ast.FunctionDef | ast.ClassDef)):
            if node.name == step:
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
                inside = ast.walk(methods[0] if methods else node)
                found = [one.value for one in inside if isinstance(one, ast.Return) and one.value]
                return _spot_at(path, span_of(found[0]), texts) if len(found) == 1 else None
    return None

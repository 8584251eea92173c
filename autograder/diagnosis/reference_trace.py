"""Where a submission's values depart from the reference's: the first operation on the way to the answer after which nothing is known again."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from autograder.course.answer import Answer, Array, TensorValue, Value
from autograder.course.trace import OUTSIDE, Made, Numbers, Trace, numbers_in
from autograder.diagnosis.divergence import How, Place, return_spot, spot_of
from autograder.exam.model import Exam, KeyCase, Paper, PaperCase
from autograder.grading.logical_lines import statements_of
from autograder.grading.recognition import (
    NOTHING,
    Likeness,
    Recognised,
    Recogniser,
    factor,
    is_part,
    is_switch,
    known_from,
    tells,
)
from autograder.runner.processes import Runner
from autograder.runner.run import Interruption, run
from autograder.submission.model import Submission

CREATES = frozenset(
    [
        "ones",
        "zeros",
        "full",
        "empty",
        "eye",
        "arange",
        "linspace",
        "tensor",
        "as_tensor",
        "zeros_like",
        "ones_like",
        "full_like",
        "empty_like",
        "scalar_tensor",
    ]
)
"""Operations that make a tensor of no other's numbers."""


ARRANGES = frozenset(
    [
        "[",
        "]",
        "view",
        "reshape",
        "transpose",
        "permute",
        "T",
        "mT",
        "unsqueeze",
        "squeeze",
        "expand",
        "contiguous",
        "flatten",
        "swapaxes",
        "movedim",
        "clone",
    ]
) | {"[ ]"}
"""Operations that leave numbers as they are."""

CUTS = frozenset(("chunk", "split", "tensor_split", "unbind"))
"""Operations that cut a tensor into pieces: of the order of all numbers only what joins the pieces decides."""

MULTIPLIES = frozenset(("*", "/"))
"""Operations that multiply by a factor."""


def run_traced(
    exam: Exam,
    submission: Submission,
    case: PaperCase,
    runner: Runner,
    timeout: float,
    interruption: Interruption,
) -> tuple[Trace, Answer]:
    """Run a submission once more on a case, and return what it does on its way; nothing if that cannot be seen.

    timeout, interruption: as `run` takes them. Raises CannotSit and Interrupted.
    """
    steps = {case.part: frozenset({case.step})}
    found = run(
        runner,
        submission,
        exam.syllabus,
        Paper((case,)),
        steps,
        timeout,
        interruption=interruption,
        trace=True,
    ).parts[case.part]
    return found.traces.get(case.path, Trace()), found.answers.get(case.path, Answer())


def way_to_answer(
    case: PaperCase,
    key: KeyCase,
    trace: Trace,
    answer: Answer,
    texts: Mapping[str, str],
    others: Collection[str] = (),
    check: Callable[[], None] = lambda: None,
) -> "Way | None":
    """Return a submission's way to the answer of a case that it fails; None if nothing was traced, or whole numbers come out, which are alike by chance.

    texts: of the submission, by path. others: the names of other steps, which are not to blame. check: as `Way` takes it.
    """
    outputs = key.expected.outputs.values()
    whole = any(
        isinstance(one, TensorValue) and one.array is not None and one.array.dtype.kind in "iu" for one in outputs
    )
    return None if whole or not trace.operations else Way(case, key, trace, answer, texts, others, check)


class Way:
    """A submission's way to the answer of a case, beside what is known of right ways.

    found: what each operation makes is like; NOTHING for what is not on the way to a wrong answer. check: called now and then; what it
    raises ends the work.
    """

    def __init__(
        self,
        case: PaperCase,
        key: KeyCase,
        trace: Trace,
        answer: Answer,
        texts: Mapping[str, str],
        others: Collection[str],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._step, self._key, self._trace, self._answer, self._texts = case.step, key, trace, answer, texts
        self._others = others
        self._operations = trace.operations
        inputs = [(name, value) for name, value in case.inputs.items() if isinstance(value, np.ndarray)]
        outputs = {name: one for name, one in key.expected.outputs.items() if isinstance(one, TensorValue)}
        expected = [(name, one.array) for name, one in outputs.items() if one.array is not None]
        self._recogniser = Recogniser(known_from(inputs, expected, key.way))
        self._wrong = self._ends()
        self._on_way = self._before(self._wrong)
        self.found: list[Recognised] = []
        for number, one in enumerate(self._operations):
            check()
            self.found.append(self._recogniser.recognise(one.made) if number in self._on_way else NOTHING)
        self._factors = [by for made in key.way if (by := self._factor_of(made))]
        self._constant = self._constants()
        self._depends_on_inputs = not self._on_way <= self._constant
        self._recovered = self._recover()

    def _factor_of(self, made: Made) -> float | None:
        """Return by what the reference multiplies something there, if it does."""
        taken = [self._key.way[number].numbers for number in made.takes if number != OUTSIDE] or [
            (one.numbers,) for one in self._recogniser.known if one.made is None
        ]
        pairs = ((mine, theirs) for mine in made.numbers[:1] for one in taken for theirs in one[:1])
        found = (factor(mine, theirs) for mine, theirs in pairs if len(mine.flat) == len(theirs.flat) and tells(theirs))
        return next((by for by in found if by is not None and not math.isclose(by, 1, rel_tol=1e-3)), None)

    def _ends(self) -> Collection[int]:
        """Return the operations that made what is wrong."""
        self._answer_is_right, self._is_changed_later, self._is_rearranged, self._has_more = False, False, False, False
        if self._answer.failure:
            return self._trace.stop.takes if self._trace.stop else ()
        ends, right_ends, given = set[int](), set[int](), list[bool]()
        self._answer_is_right, in_another_order = True, list[bool]()
        for name, yours in self._answer.outputs.items():
            theirs = self._key.expected.outputs.get(name)
            if isinstance(yours, TensorValue) and yours.array is not None:
                mine = Numbers(numbers_in([yours.array]))
                right = isinstance(theirs, TensorValue) and theirs.array is not None and theirs.shape == yours.shape
                makers = [
                    number
                    for number, one in enumerate(self._operations)
                    if any(mine.are(numbers, in_order=True) for numbers in one.made.numbers)
                ]
                if right and mine.are(Numbers(numbers_in([theirs.array])), in_order=True):  # type: ignore[list-item,union-attr]
                    right_ends |= {*makers}
                    continue
                self._answer_is_right = False
                in_another_order.append(_are_rearranged(mine, theirs))
                given.append(bool(makers) and self._is_given(makers[-1]))
                ends |= set(makers[-1:]) or set(self._trace.ends)
                self._is_changed_later |= not makers and bool(self._trace.ends)
        self._answer_is_right |= (
            bool(ends) and ends <= right_ends
        )  # what is wrong has come about elsewhere, as when a module is made
        self._has_more = any(given) and not all(given)
        self._is_rearranged = bool(in_another_order) and all(in_another_order)
        return ends - right_ends

    def _before(self, ends: Iterable[int]) -> set[int]:
        """Return some operations and those on whose results they depend; without those of a module that is made."""
        waiting, found = list(ends), set[int]()
        while waiting:
            number = waiting.pop()
            if number not in found and not self._is_given(number):
                found.add(number)
                waiting += self._operations[number].takes
        return found

    def _recover(self) -> set[int]:
        """Return the operations of which something known is made later, in the same round of a loop."""
        recovered = set[int]()
        for number in sorted(self._on_way, reverse=True):
            if number in recovered or self._is_known_again(number):
                recovered.update(other for other in self._operations[number].takes if other < number)
        return recovered

    def _is_known_again(self, number: int) -> bool:
        return self.found[number].likeness >= Likeness.RESHAPED and tells(self._operations[number].made.numbers[0])

    def _is_given(self, number: int) -> bool:
        return self._operations[number].function.endswith("__init__")

    def _constants(self) -> set[int]:
        """Return the operations whose results depend on no input."""
        constant = set[int]()
        for number, one in enumerate(self._operations):
            alone = one.name in CREATES or one.name.startswith("new_")
            if alone or (one.takes and all(other in constant for other in one.made.takes)):
                constant.add(number)
        return constant

    def _departs(self, number: int) -> bool:
        if number in self._recovered or self._is_given(number):
            return False
        if number in self._constant and self._depends_on_inputs:
            return False
        if not self._operations[number].made.numbers or self._is_scaled_as_in_reference(number):
            return False
        if self._is_rearranged:  # all numbers are right, so only what brings them into another order is wrong
            is_moved = self.found[number].likeness in (Likeness.MISPLACED, Likeness.REORDERED)
            return is_moved and self._operations[number].name not in CUTS
        if self._answer.failure and self._operations[number].made.times > 1:  # the loop has not come to its end
            return False
        return self.found[number].likeness <= Likeness.MISPLACED

    def _is_scaled_as_in_reference(self, number: int) -> bool:
        """Return whether something known is scaled as the reference scales something, only at another time."""
        found, made = self.found[number], self._operations[number].made
        if found.likeness != Likeness.SCALED or found.known is None:
            return False
        known = self._recogniser.known[found.known].numbers
        by = next((by for one in made.numbers if (by := factor(one, known)) is not None), 0.0)
        return any(math.isclose(by, one, rel_tol=1e-3) for one in self._factors)

    def _first(self) -> tuple[int, list[int]] | None:
        """Return the operation that departs first, and others that might."""
        departed = [
            number
            for number in sorted(self._on_way)
            if self._departs(number)
            and not any(self._departs(other) for other in self._operations[number].takes if other < number)
        ]
        return (departed[0], departed[1:]) if departed else None

    def leads_to_answer(self, number: int) -> bool:
        """Return whether the wrong answer depends on an operation."""
        return number in self._on_way

    def place(self) -> Place | None:
        """Return where it departs; None if that is in another step."""
        found = self._found_place()
        is_elsewhere = found and found.number is not None and self._is_in_another_step(found.number)
        return None if is_elsewhere else found

    def lines(self, path: str) -> tuple[int, ...]:
        """Return the lines of a file in which the mistake may be, the likeliest first, though it is not sure."""
        if place := self.place():
            return place.lines_of(path)
        if (first := self._first()) is None:
            return ()
        departing = (self._operations[one] for one in (first[0], *first[1]))
        return tuple(dict.fromkeys(one.span[0] for one in departing if one.path == path))

    def _is_in_another_step(self, number: int) -> bool:
        return self._operations[number].function.partition(".")[0] in self._others

    def _changes_what_is_not_seen(self, number: int) -> bool:
        """Return whether an operation only changes something in place, as an optimizer does: what it takes for that may have been wrong before."""
        return {*self._operations[number].takes} == {number}

    def _emptied(self) -> int | None:
        """Return the first operation on the way to an exception that makes a tensor without numbers of some that have them."""
        if not self._answer.failure or any(0 in shape for made in self._key.way for shape in made.shapes):
            return None
        empty = {number for number in self._on_way if any(0 in one for one in self._operations[number].made.shapes)}
        begun = (one for one in sorted(empty) if not empty & {*self._operations[one].takes})
        return next((one for one in begun if self._operations[one].name not in CREATES), None)

    def _found_place(self) -> Place | None:
        if (emptied := self._emptied()) is not None:
            return self._described(emptied, [], "empties")
        first = self._first()
        if first is None:
            return self._returning()
        number, others = first
        input_, lacking = self._odd_input(number)
        if self._is_in_another_step(number) or self._changes_what_is_not_seen(number):
            return None
        if unseen := [other for other in sorted(self._on_way) if other < number and not self._is_seen(other)]:
            return self._following(unseen[0], [number])
        if input_ is not None and lacking:
            name, once = self._named(input_), self._operations[number].made.times == 1
            if name and once:
                return self._described(number, [input_, *others], "lacks", name)
            input_ = None
        blamed = next((one for one in (self._odd_constant(number), input_) if one is not None), number)
        suspicious = [number, *others, *self._operations[number].takes]
        begun = self._first_arranged(number)
        if blamed == number and begun != number:
            same_line = self._operations[begun].span[0] == self._operations[number].span[0]
            return self._described(begun, suspicious, "departs" if same_line else "follows")
        if blamed != number or self._is_certain(number):
            return self._described(blamed, suspicious, "departs")
        return self._following(number, suspicious)

    def _first_arranged(self, number: int) -> int:
        """Return the first of the operations that only arrange what an operation takes, each as the reference never does; else it."""
        for other in self._operations[number].takes:
            one, likeness = self._operations[other], self.found[other].likeness
            is_odd = likeness in (Likeness.REORDERED, Likeness.RESHAPED) and one.name in ARRANGES
            goes_round = other > number or other in self._before(one.takes)
            if is_odd and not goes_round and not self._is_in_another_step(other):
                return self._first_arranged(other)
        return number

    def _following(self, number: int, suspicious: Sequence[int]) -> Place | None:
        """Return the place from which on something is wrong, if something before it is right."""
        found = self._described(number, suspicious, "follows")
        return found if found.right else None

    def _is_seen(self, number: int) -> bool:
        """Return whether the numbers of an operation are known: those within `torch.vmap` are not."""
        return bool(self._operations[number].made.numbers) or number in self._constant

    def _is_certain(self, number: int) -> bool:
        """Return whether an operation that departs is wrong, and none after it; it may be a step of another right way."""
        likeness, arranges = self.found[number].likeness, self._operations[number].name in ARRANGES
        if likeness == Likeness.SCALED or (likeness == Likeness.MISPLACED and arranges) or number in self._wrong:
            return True
        one = self._operations[number].made
        if any(other.name == one.name and self._take_the_same(one, other) for other in self._key.way):
            return True
        line = self._operations[number].span[0]
        return all(self._operations[other].span[0] == line for other in self._on_way if other > number)

    def instead(self, number: int) -> Array | None:
        """Return what the reference makes of the same in an operation's place, if it does and in the same shape."""
        one, found = self._operations[number].made, self.found[number]
        known = self._recogniser.known[found.known] if found.known is not None else None
        if found.likeness == Likeness.MISPLACED and known and known.shape == one.shapes[-1]:
            return known.numbers.flat.reshape(known.shape)
        alike = (other for other in self._key.way if other.name == one.name and self._take_the_same(one, other))
        return next((other.last for other in alike if other.shapes[-1] == one.shapes[-1]), None)

    def _take_the_same(self, mine: Made, theirs: Made) -> bool:
        pairs = [*zip(mine.takes, theirs.takes, strict=False)]
        if len(mine.takes) != len(theirs.takes) or all(OUTSIDE in pair for pair in pairs):
            return False
        return all(
            mine == theirs if OUTSIDE in (mine, theirs) else self._operations[mine].made.is_same(self._key.way[theirs])
            for mine, theirs in pairs
        )

    def _returning(self) -> Place | None:
        """Return the end, if all is right but that something else should come out."""
        made_with_the_module = self._wrong and not self._on_way
        if self._answer.failure or self._answer_is_right or made_with_the_module:
            return None
        ends = [number for number in sorted(self._on_way) if number in self._wrong]
        if self._is_changed_later:
            return None
        leaves_input = ends and self._is_an_input(ends[-1])
        if not ends or (self._is_known_again(ends[-1]) and not leaves_input) or not self._is_own(ends[-1]):
            spot = return_spot(self._step, self._texts)
            right = next((self._named(number) for number in reversed(ends) if self._is_own(number)), None)
            return Place(None, spot, "return", right, "returns", ()) if spot else None
        return self._described(ends[-1], [], "departs")

    def _is_an_input(self, number: int) -> bool:
        """Return whether an operation that should do something leaves an input as it is."""
        found = self.found[number]
        is_input = found.known is not None and self._recogniser.known[found.known].made is None
        return found.likeness == Likeness.EQUAL and is_input and self._operations[number].name not in ARRANGES

    def _is_own(self, number: int) -> bool:
        """Return whether an operation is in the step's own definition."""
        return self._operations[number].function.partition(".")[0] == self._step

    def _odd_constant(self, number: int) -> int | None:
        """Return what made a constant, such as a mask, that an operation takes in place of one that the reference has."""
        if not self._depends_on_inputs:
            return None
        missing = [made.numbers[0] for made in self._missing() if made.numbers]
        for other in self._operations[number].takes:
            made = self._operations[other].made
            is_right = self.found[other].likeness == Likeness.EQUAL
            if other not in self._constant or is_right or made.name in CREATES or not made.numbers:
                continue
            mine = made.numbers[0]
            if is_switch(mine):
                turned = Numbers(np.where(np.isfinite(mine.flat), 1 - mine.flat, mine.flat))
                masks = [one for one in missing if is_switch(one) and len(one.flat) == len(mine.flat)]
                if masks and not any(one.are(theirs, True) for one in (mine, turned) for theirs in masks):
                    return other
            elif tells(mine) and self.found[other].likeness <= Likeness.SCALED:
                chain = sorted(self._before([other]))
                odd = (one for one in chain if tells(self._operations[one].made.numbers[0]) and self._is_odd(one))
                return next(odd, other)
        return None

    def _is_odd(self, number: int) -> bool:
        return self.found[number].likeness <= Likeness.SCALED and self._operations[number].name not in CREATES

    def _odd_input(self, number: int) -> tuple[int | None, bool]:
        """Return what made an input in place of what the reference takes there, and never comes about; and whether the
        reference makes that of it.
        """
        one, way = self._operations[number], self._key.way
        missing = {id(made) for made in self._missing()}
        for made in way:
            if made.name != one.name or len(made.takes) != len(one.made.takes):
                continue
            pairs = zip(one.made.takes, made.takes, strict=True)
            differing = [(mine, theirs) for mine, theirs in pairs if not self._are_same(mine, theirs)]
            if len(differing) != 1 or OUTSIDE in differing[0]:
                continue
            ((mine, theirs),) = differing
            if id(way[theirs]) in missing and self._operations[mine].name not in CREATES:
                lacking = self._is_scaled_as_in_reference(mine) or self._is_on_way_to(mine, theirs)
                if lacking or self.found[mine].likeness >= Likeness.PART:
                    return self._source(mine), lacking
        return None, False

    def _source(self, number: int) -> int:
        """Return what made the numbers that an operation only arranges in another way."""
        taken = self._operations[number].takes
        if (
            self._operations[number].name in ARRANGES and len(taken) == 1 and taken[0] < number
        ):  # else a loop goes round
            return self._source(taken[0])
        return number

    def _are_same(self, mine: int, theirs: int) -> bool:
        """Return whether an operation makes what one of the reference does; of what comes from outside that is not known."""
        if OUTSIDE in (mine, theirs):
            return mine == theirs
        return self._operations[mine].made.has_numbers_of(self._key.way[theirs])

    def _is_on_way_to(self, mine: int, theirs: int) -> bool:
        """Return whether the reference makes one thing of what an operation makes."""
        waiting, seen = [theirs], {OUTSIDE}
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                waiting += self._key.way[number].takes
        return any(self._key.way[number].has_numbers_of(self._operations[mine].made) for number in seen - {OUTSIDE})

    def _missing(self) -> list[Made]:
        """Return what the reference makes and the submission never does."""
        mine = [one.made for one in self._operations]
        return [made for made in self._key.way if not any(map(made.has_numbers_of, mine))]

    def _described(
        self, number: int, suspicious: Sequence[int], how: How, right: tuple[str, int] | None = None
    ) -> Place:
        one = self._operations[number]
        right = right or next(filter(None, map(self._named, self._right_before(number))), None)
        lines = dict.fromkeys(self._operations[other].span[0] for other in suspicious)
        factors = self._multiplies(number)
        return Place(number, spot_of(one, self._texts), one.name, right, how, tuple(lines), factors, self._has_more)

    def _multiplies(self, number: int) -> tuple[float, float] | None:
        """Return by what an operation multiplies something known, and by what the reference does, 1 for nothing; None if that is not plain."""
        found = self.found[number]
        if found.likeness != Likeness.SCALED or found.known is None or self._operations[number].name not in MULTIPLIES:
            return None
        known = self._recogniser.known[found.known].numbers
        by = next((by for one in self._operations[number].made.numbers if (by := factor(one, known)) is not None), None)
        scaled = [(made.numbers[0], right) for made in self._key.way if (right := self._factor_of(made))]
        right = next((right for numbers, right in scaled if is_part(_divided(numbers, right), known)), None)
        if by is None or (scaled and right is None):
            return None
        return by, right or 1.0

    def _right_before(self, number: int) -> Iterable[int]:
        """Yield what is known of what an operation's line is made of, the last first."""
        line, function = self._operations[number].span[0], self._operations[number].function
        same_line = [one for one in self._on_way if self._operations[one].span[0] == line]
        for other in sorted((one for one in self._before(same_line) if one < number), reverse=True):
            if not any(map(tells, self._operations[other].made.numbers)):
                continue
            likeness, pieces = self.found[other].likeness, self._operations[other].made.times > 1
            is_known = likeness == Likeness.EQUAL or (likeness == Likeness.RESHAPED and pieces)
            before = self._operations[other]
            is_before = before.function == function and before.span[0] != line
            if is_known and is_before and other in self._on_way and other not in self._constant:
                yield other

    def _named(self, number: int) -> tuple[str, int] | None:
        """Return the name that the code gives to what an operation makes, and the line."""
        one = self._operations[number]
        name = statements_of(self._texts.get(one.path, "")).name(one.span)
        return (name, one.span[0]) if name and name != "return" else None


def _divided(numbers: Numbers, by: float) -> Numbers:
    """Return the numbers that are finite, divided."""
    return Numbers(numbers.flat[np.isfinite(numbers.flat)] / np.float32(by))


def _are_rearranged(mine: Numbers, theirs: Value | None) -> bool:
    """Return whether some numbers are those of an expected tensor, all of them, in another order."""
    if not isinstance(theirs, TensorValue) or theirs.array is None:
        return False
    expected = Numbers(numbers_in([theirs.array]))
    return tells(expected) and mine.are(expected)

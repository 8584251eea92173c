"""The causes that show in answers alone: a known mistake, an exception that is explained, a relation to the right answer."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course import shapes
from autograder.course.answer import LACK, Answer, Array, Failure, PlainValue, TensorValue, close
from autograder.course.tolerances import ROUNDED, Tolerance
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import NUMBER, same_answer, same_outputs, same_value
from autograder.exam.model import KnownWrong
from autograder.grading.callees import CALLS_OPEN, defined_elsewhere
from autograder.grading.checks import Sheet
from autograder.grading.compare import Relation, Wrong, find_relation
from autograder.grading.exceptions import explain
from autograder.grading.results import Diagnosis, StepMarks
from autograder.submission.parsed import Definitions

ENOUGH = 2
"""Outputs or failures that must be those of a known mistake where others are not: one alone may be an accident."""

FEW = 8
"""So many whole numbers are hardly the same by accident."""

UNDIAGNOSED = (
    Verdict.NOT_ATTEMPTED,
    Verdict.MISSING,
    Verdict.INCOMPLETE,
    Verdict.FORBIDDEN,
    Verdict.TIMED_OUT,
    Verdict.CRASHED,
)
"""Verdicts without wrong answers to look at."""

UNSEARCHED = {*UNDIAGNOSED, Verdict.OUT_OF_MEMORY} - {Verdict.INCOMPLETE}
"""Verdicts on code that no edit could mend in time."""

MENDED = ("not_imported", "defined_elsewhere", CALLS_OPEN)
"""Causes that name the first thing to mend."""


def is_searched(step: StepMarks) -> bool:
    """Return whether a cause is searched for by running a step again: its answers are wrong, and no cause says yet what to mend."""
    is_known = step.diagnosis and (step.diagnosis.kind == "mistake" or step.diagnosis.id in MENDED)
    return not (step.passed or step.verdict in UNSEARCHED or is_known)


@dataclass(frozen=True)
class Evidence:
    """All that the answers to a step show. known: the known mistakes of this step. definitions: those of the submission."""

    sheets: Sequence[Sheet]
    known: Sequence[KnownWrong]
    relations: Sequence[Relation]
    definitions: Definitions

    @functools.cached_property
    def shown(self) -> Sheet:
        """The first wrong case, which students see."""
        wrong = (one for one in self.sheets if not same_answer(one.answer, one.key.expected, one.key.tolerance))
        return next(wrong, self.sheets[0])

    @functools.cached_property
    def is_right(self) -> bool:
        """True if the outputs of the first wrong case are right: a gradient is not, or an argument was changed."""
        return _is_right(self.shown)


def diagnose(evidence: Evidence) -> Diagnosis | None:
    """Return the likely cause of a step's wrong answers, or None. It explains the first wrong one."""
    return next((found for finder in FINDERS if (found := finder(evidence))), None)


class Score(NamedTuple):
    """The score of a known mistake against the answers to a step, the most important first.

    everything, all_outputs: whether each case has its answer, gradients included, or its outputs. explained: the number of wrong outputs
    and failures. fitting: the number of outputs, right ones included.
    """

    everything: bool = False
    all_outputs: bool = False
    explained: int = 0
    fitting: int = 0


NOTHING = Score()
"""The score of a mistake that a right case contradicts, or the first wrong one."""


def _known_mistake(evidence: Evidence) -> Diagnosis | None:
    """Return the known mistake that explains most, if it explains all, or enough and no other does as well."""
    scores = [_score(evidence, one) for one in evidence.known]
    best = max(scores, default=NOTHING)
    if not (best.everything or best.all_outputs or (best.explained >= ENOUGH and scores.count(best) == 1)):
        return None
    known = evidence.known[scores.index(best)]
    return Diagnosis("mistake", known.id, known.says, more=not best.everything)


def _score(evidence: Evidence, known: KnownWrong) -> Score:
    """Return how well a known mistake explains the answers: the first wrong case at least, and no right one contradicts it."""
    shown = evidence.shown
    raises = all(answer.failure for answer in known.signature.values())
    if not _explains(shown, _answer_of(known, shown), raises):
        return NOTHING
    pairs = [(sheet, _answer_of(known, sheet)) for sheet in evidence.sheets]
    alike = [_is_alike(sheet, answer, raises) for sheet, answer in pairs]
    if all(alike) and all(same_answer(sheet.answer, answer, sheet.key.tolerance) for sheet, answer in pairs):
        return Score(everything=True)
    right = [_is_right(sheet) for sheet in evidence.sheets]
    # wrong outputs in later cases explain no lost gradient in the first
    if evidence.is_right or any(is_right and not is_alike for is_right, is_alike in zip(right, alike, strict=True)):
        return NOTHING
    explained, fitting, sizes = 0, 0, set[tuple[str, ...]]()
    for (sheet, answer), is_right, is_alike in zip(pairs, right, alike, strict=True):
        fits = [name for name in sheet.key.expected.outputs if _agrees(sheet, name, answer)]
        fitting += len(fits)
        if sheet.answer.failure:
            sizes |= {_sizes_in(sheet.answer.failure)} if is_alike else set()
        elif not is_right:
            telling = sum(name in _wrong_outputs(sheet) and _tells(sheet, name) for name in fits)
            explained += telling or (is_alike and not _lacks(sheet))
    return Score(False, all(alike), explained + len(sizes - {()}), fitting)


def _lacks(sheet: Sheet) -> bool:
    """Return whether a probe misses something: code that does nothing lacks it, too."""
    return any(isinstance(one, PlainValue) and one.type == LACK for one in sheet.answer.outputs.values())


def _explains(shown: Sheet, answer: Answer, raises: bool) -> bool:
    """Return whether a mistake has the failure that is reported of a wrong case, or its first wrong output."""
    if shown.answer.failure or answer.failure or _is_alike(shown, answer, raises):
        return _is_alike(shown, answer, raises)
    wrong = _wrong_outputs(shown)
    return not wrong or _agrees(shown, min(wrong, key=lambda name: _place_in_report(shown, name)), answer)


def _is_alike(sheet: Sheet, answer: Answer, raises: bool) -> bool:
    """Return whether a case has the outputs of a mistake, or fails as that does; of one that only raises, for the same sizes."""
    yours, theirs = sheet.answer.failure, answer.failure
    same_sizes = not raises or not yours or not theirs or _sizes_in(yours) == _sizes_in(theirs)
    return same_sizes and same_outputs(sheet.answer, answer, sheet.key.tolerance)


def _sizes_in(failure: Failure) -> tuple[str, ...]:
    """Return the numbers of a failure's message in order of size: which of two torch names first depends on the call."""
    return tuple(sorted(NUMBER.findall(failure.message)))


def _answer_of(known: KnownWrong, sheet: Sheet) -> Answer:
    return known.signature.get(sheet.paper.path, sheet.key.expected)


def _is_right(sheet: Sheet) -> bool:
    """Return whether the outputs of a case are right."""
    return same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance)


def _agrees(sheet: Sheet, name: str, answer: Answer) -> bool:
    """Return whether an output of a case is that of another answer."""
    yours, other = sheet.answer.outputs.get(name), answer.outputs.get(name)
    return bool(yours and other and same_value(yours, other, sheet.key.tolerance))


def _wrong_outputs(sheet: Sheet) -> list[str]:
    return [name for name in sheet.key.expected.outputs if not _agrees(sheet, name, sheet.key.expected)]


def _place_in_report(sheet: Sheet, name: str) -> int:
    """Return the place of a wrong output in the report on its case: a wrong shape, then a wrong type, then wrong numbers."""
    yours, expected = sheet.answer.outputs.get(name), sheet.key.expected.outputs[name]
    if not isinstance(yours, TensorValue) or not isinstance(expected, TensorValue):
        return 2 if isinstance(yours, PlainValue) and isinstance(expected, PlainValue) else 1
    return 0 if yours.shape != expected.shape else 1 if yours.dtype != expected.dtype else 2


def _tells(sheet: Sheet, name: str) -> bool:
    """Return whether two answers hardly have the same in an output by accident: not if that is yes or no, or a few whole numbers."""
    yours = sheet.answer.outputs[name]
    if not isinstance(yours, TensorValue):
        return yours.type in ("int", "float", "str")
    is_whole = yours.dtype.startswith(("int", "uint"))
    return yours.dtype.startswith("float") or (is_whole and yours.array is not None and yours.array.size >= FEW)


def _unbatched_only(evidence: Evidence) -> Diagnosis | None:
    """Right without leading dimensions, but an exception with them."""
    plain = [sheet for sheet in evidence.sheets if not _has_batch(sheet)]
    batched = [sheet for sheet in evidence.sheets if _has_batch(sheet)]
    if not plain or not batched or not all(map(_is_right, plain)) or not all(one.answer.failure for one in batched):
        return None
    word = plain[0].syllabus.words.slices.get(shapes.BATCH)
    right = f"Right {f'for one {word}' if word else 'by itself'}, but it fails with a batch in front."
    says = f"{right} Count dimensions from the end: `transpose(-2, -1)`, `dim=-1`, `shape[-1]`."
    return Diagnosis("relation", "unbatched_only", says)


def _has_batch(sheet: Sheet) -> bool:
    return any(
        shapes.LEADING in dims and len(sheet.key.shapes.get(name, ())) > max(shapes.rank_of(dims), 2)
        for name, dims in sheet.step.arguments.items()
    )


def _written_to(evidence: Evidence) -> Diagnosis | None:
    """The inputs were changed. If the step raised, that is no explanation."""
    changed = evidence.shown.answer.changed_inputs
    if not changed or evidence.shown.answer.failure:
        return None
    return Diagnosis(
        "relation",
        "changed_inputs",
        f"Your code changes {', '.join(f'`{name}`' for name in changed)}: `+=`, `*=`, `x[...] = ...` and methods that end in `_` "
        "write into the tensor itself. Make a new one, as in `a = a * b`.",
    )


def _fixed_dtype(evidence: Evidence) -> Diagnosis | None:
    """The numbers are right, but their type does not follow that of the inputs."""
    if evidence.is_right or evidence.shown.answer.failure:
        return None
    dtypes = set()
    for pair in (pair for sheet in evidence.sheets for pair in _pairs(sheet)):
        if not pair.are_close(ROUNDED) or pair.expected.dtype.kind != "f":
            return None
        dtypes |= {pair.dtypes[0]} - {pair.dtypes[1]}
    if len(dtypes) != 1:
        return None
    return Diagnosis(
        "relation",
        "fixed_dtype",
        f"Right numbers, but always in {dtypes.pop()}. `torch.zeros(n)`, `torch.empty(n)` and `torch.tensor(...)` make float32 "
        "by default: pass `dtype=x.dtype`; what you convert, convert back (`.to(x.dtype)`).",
    )


class Pair(NamedTuple):
    """The numbers of an output and those that it should have. dtypes: torch's names for those of both."""

    name: str
    yours: Array
    expected: Array
    dtypes: tuple[str, str]

    def are_close(self, tolerance: Tolerance) -> bool:
        """Return whether both have the same numbers, whatever their dtypes."""
        return close(self.yours, self.expected, tolerance)


def _pairs(sheet: Sheet) -> Iterator[Pair]:
    """Yield the outputs of a case that are tensors and should be."""
    for name, expected in sheet.key.expected.outputs.items():
        yours = sheet.answer.outputs.get(name)
        if isinstance(expected, PlainValue) or not isinstance(yours, TensorValue):
            continue
        if yours.array is not None and expected.array is not None:
            yield Pair(name, yours.array, expected.array, (yours.dtype, expected.dtype))


def _cut_off(evidence: Evidence) -> Diagnosis | None:
    """Right numbers, but a gradient does not reach an input or a parameter."""
    shown = evidence.shown
    if shown.answer.gradient_error or not evidence.is_right:
        return None
    wanted, given = shown.key.expected.gradients, shown.answer.gradients
    lost = [name for name in wanted if wanted[name] is not None and name in given and given[name] is None]
    if not lost:
        return None
    return Diagnosis(
        "relation",
        "detached",
        f"No gradient reaches {', '.join(f'`{name}`' for name in sorted(lost))}. `.detach()`, `.data`, `.item()`, `.tolist()`, "
        "`torch.tensor(...)`, NumPy and `torch.no_grad()` all stop gradients; `torch.stack` makes one tensor of several and does not.",
    )


def _changed_places(evidence: Evidence) -> Diagnosis | None:
    """One of several outputs has the numbers that another should have."""
    shown = evidence.shown
    expected = {name: one.array for name, one in shown.key.expected.outputs.items() if isinstance(one, TensorValue)}
    others = {name: array for name, array in expected.items() if array is not None and _has_different_numbers(array)}
    for pair in _pairs(shown):
        if pair.name not in others or pair.are_close(shown.key.tolerance):
            continue
        for name, array in others.items():
            is_other = array.shape == pair.expected.shape and pair._replace(expected=array).are_close(
                shown.key.tolerance
            )
            if is_other and name != pair.name:
                says = f"Your `{pair.name}` has the numbers that `{name}` should have: one is taken for the other."
                return Diagnosis("relation", "changed_places", says)
    return None


def _has_different_numbers(array: Array) -> bool:
    """Return whether a tensor has so many different numbers that another one hardly has them by accident."""
    return array.dtype.kind == "f" and len(np.unique(array)) > ENOUGH


def _related(evidence: Evidence) -> Diagnosis | None:
    """The relation of wrong numbers to the right ones, if the first wrong answer has numbers. An overflow shows none."""
    if not _wrong_output(evidence.shown):
        return None
    sheets = [sheet for sheet in evidence.sheets if not _overflows(sheet)] or evidence.sheets
    right = any(map(_is_right, sheets))
    wrong = [replace(found, right_elsewhere=right) for sheet in sheets if (found := _wrong_output(sheet))]
    relation = find_relation(wrong, evidence.relations) if wrong else None
    return Diagnosis("relation", *relation) if relation else None


def _overflows(sheet: Sheet) -> bool:
    """Return whether an output has nan or infinity where finite numbers were expected."""
    return any(np.isfinite(one.expected).all() and not np.isfinite(one.yours).all() for one in _pairs(sheet))


def _wrong_output(sheet: Sheet) -> Wrong | None:
    """Return the first output of a case that is a tensor of floats with wrong numbers or a wrong shape."""
    for pair in _pairs(sheet):
        are_floats = pair.yours.dtype.kind == pair.expected.dtype.kind == "f"
        if are_floats and not pair.are_close(sheet.key.tolerance):
            return Wrong(
                pair.yours,
                pair.expected,
                shapes.names_of(sheet.step.dims_of(pair.name), pair.expected.ndim),
                sheet.sizes | sheet.whole_numbers,
                {name: value for name, value in sheet.paper.inputs.items() if isinstance(value, np.ndarray)},
                sheet.key.tolerance,
                sheet.syllabus.words,
                sheet.step.title_of(pair.name),
            )
    return None


FINDERS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (
    _known_mistake,
    _unbatched_only,
    lambda evidence: explain(evidence.shown, evidence.definitions),
    _written_to,
    _fixed_dtype,
    _cut_off,
    _changed_places,
    _related,
    lambda evidence: defined_elsewhere(evidence.shown, evidence.definitions),
)
"""From the answers to a cause or nothing, in the order in which they are asked. The code is looked into after that."""

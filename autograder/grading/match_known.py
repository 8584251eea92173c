"""Find the cause of wrong answers from the answers alone, without running the code again.

The signature of a known mistake contains the answers of code with this mistake.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course import shapes
from autograder.course.answer import (
    LACK,
    NUMBER,
    Answer,
    Array,
    Failure,
    PlainValue,
    TensorValue,
    close,
    same_answer,
    same_outputs,
    same_value,
)
from autograder.course.verdicts import Verdict
from autograder.exam.model import KnownWrong
from autograder.grading.checks import Sheet
from autograder.grading.compare import Relation, Wrong, find_relation
from autograder.grading.exceptions import explain
from autograder.grading.results import CALLS_OPEN, Diagnosis, StepMarks

ENOUGH = 2
"""The fewest wrong outputs and failures that a mistake must explain if others stay unexplained."""

FEW = 8
"""The fewest elements of integer tensors that are unlikely to be equal by accident."""

UNDIAGNOSED = (
    Verdict.NOT_ATTEMPTED,
    Verdict.MISSING,
    Verdict.INCOMPLETE,
    Verdict.FORBIDDEN,
    Verdict.TIMED_OUT,
    Verdict.CRASHED,
)
"""The verdicts of steps whose answers are not searched for a cause."""

UNSEARCHED = {*UNDIAGNOSED, Verdict.OUT_OF_MEMORY} - {Verdict.INCOMPLETE}
"""The verdicts of steps that are not run again to find a cause."""

MENDED = ("not_imported", "defined_elsewhere", CALLS_OPEN)
"""The ids of causes that already name the first thing to correct."""


def is_searched(step: StepMarks) -> bool:
    """Return whether to search for the cause of a failed step by running its code again."""
    is_known = step.diagnosis and (step.diagnosis.kind == "mistake" or step.diagnosis.id in MENDED)
    return not (step.passed or step.verdict in UNSEARCHED or is_known)


@dataclass(frozen=True)
class Evidence:
    """The data to find a cause in the answers: cases, known mistakes and relations of a step."""

    sheets: Sequence[Sheet]
    known: Sequence[KnownWrong]
    relations: Sequence[Relation]

    @functools.cached_property
    def shown(self) -> Sheet:
        """The first case with a wrong answer, which the report shows; else the first case."""
        wrong = (one for one in self.sheets if not same_answer(one.answer, one.key.expected, one.key.tolerance))
        return next(wrong, self.sheets[0])

    @functools.cached_property
    def is_right(self) -> bool:
        """True if the outputs of `shown` are right, and only gradients or changed inputs are wrong."""
        return _is_right(self.shown)


def diagnose(evidence: Evidence) -> Diagnosis | None:
    """Return the likely cause of the first wrong answer of a step; None if no finder finds one."""
    return next((found for finder in FINDERS_BY_ANSWERS if (found := finder(evidence))), None)


class Score(NamedTuple):
    """The agreement of a signature with a submission's answers. Earlier fields take precedence.

    everything: whether all answers agree. all_outputs: whether all outputs and failures agree.
    explained: how many wrong outputs and failures agree. fitting: how many outputs agree.
    """

    everything: bool = False
    all_outputs: bool = False
    explained: int = 0
    fitting: int = 0


NOTHING = Score()
"""The score of a known mistake that the answers contradict."""


def _known_mistake(evidence: Evidence) -> Diagnosis | None:
    """Find the known mistake that explains all outputs, or the most of them and at least ENOUGH."""
    scores = [_score(evidence, one) for one in evidence.known]
    best = max(scores, default=NOTHING)
    if not (best.everything or best.all_outputs or (best.explained >= ENOUGH and scores.count(best) == 1)):
        return None
    known = evidence.known[scores.index(best)]
    return Diagnosis("mistake", known.id, known.says, more=not best.everything)


def _score(evidence: Evidence, known: KnownWrong) -> Score:
    """Score a known mistake: NOTHING if the first wrong case or a right case contradicts it."""
    shown = evidence.shown
    raises = all(answer.failure for answer in known.signature.values())
    if not _explains(shown, _answer_of(known, shown), raises):
        return NOTHING
    pairs = [(sheet, _answer_of(known, sheet)) for sheet in evidence.sheets]
    alike = [_is_alike(sheet, answer, raises) for sheet, answer in pairs]
    if all(alike) and all(same_answer(sheet.answer, answer, sheet.key.tolerance) for sheet, answer in pairs):
        return Score(everything=True)
    right = [_is_right(sheet) for sheet in evidence.sheets]
    # if only gradients are wrong in `shown`, wrong outputs in later cases have another cause
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
    return any(isinstance(one, PlainValue) and one.type == LACK for one in sheet.answer.outputs.values())


def _explains(shown: Sheet, answer: Answer, raises: bool) -> bool:
    """Return whether a known mistake reproduces the failure or the first wrong output of a wrong case."""
    if shown.answer.failure or answer.failure or _is_alike(shown, answer, raises):
        return _is_alike(shown, answer, raises)
    wrong = _wrong_outputs(shown)
    return not wrong or _agrees(shown, min(wrong, key=lambda name: _place_in_report(shown, name)), answer)


def _is_alike(sheet: Sheet, answer: Answer, raises: bool) -> bool:
    """Return whether outputs or failures agree. raises: True to compare numbers in messages, too."""
    yours, theirs = sheet.answer.failure, answer.failure
    same_sizes = not raises or not yours or not theirs or _sizes_in(yours) == _sizes_in(theirs)
    return same_sizes and same_outputs(sheet.answer, answer, sheet.key.tolerance)


def _sizes_in(failure: Failure) -> tuple[str, ...]:
    """Return the numbers in a message, sorted, because torch may name two sizes in either order."""
    return tuple(sorted(NUMBER.findall(failure.message)))


def _answer_of(known: KnownWrong, sheet: Sheet) -> Answer:
    return known.signature.get(sheet.paper.path, sheet.key.expected)


def _is_right(sheet: Sheet) -> bool:
    return same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance)


def _agrees(sheet: Sheet, name: str, answer: Answer) -> bool:
    yours, other = sheet.answer.outputs.get(name), answer.outputs.get(name)
    return bool(yours and other and same_value(yours, other, sheet.key.tolerance))


def _wrong_outputs(sheet: Sheet) -> list[str]:
    return [name for name in sheet.key.expected.outputs if not _agrees(sheet, name, sheet.key.expected)]


def _place_in_report(sheet: Sheet, name: str) -> int:
    """Return a wrong output's rank in a report: 0 for its shape, 1 for type or dtype, 2 for values."""
    yours, expected = sheet.answer.outputs.get(name), sheet.key.expected.outputs[name]
    if not isinstance(yours, TensorValue) or not isinstance(expected, TensorValue):
        return 2 if isinstance(yours, PlainValue) and isinstance(expected, PlainValue) else 1
    return 0 if yours.shape != expected.shape else 1 if yours.dtype != expected.dtype else 2


def _tells(sheet: Sheet, name: str) -> bool:
    """Return whether an output can tell mistakes apart. Booleans and few integers cannot."""
    yours = sheet.answer.outputs[name]
    if not isinstance(yours, TensorValue):
        return yours.type in ("int", "float", "str")
    is_whole = yours.dtype.startswith(("int", "uint"))
    return yours.dtype.startswith("float") or (is_whole and yours.array is not None and yours.array.size >= FEW)


def _unbatched_only(evidence: Evidence) -> Diagnosis | None:
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
    """Find changed inputs, unless the code raised: an exception has another cause."""
    changed = evidence.shown.answer.changed_inputs
    if not changed or evidence.shown.answer.failure:
        return None
    writes = "`+=`, `*=`, `x[...] = ...` and methods that end in `_` write into the tensor itself"
    says = (
        f"Your code changes {', '.join(f'`{name}`' for name in changed)}: {writes}. Make a new one, as in `a = a * b`."
    )
    return Diagnosis("relation", "changed_inputs", says)


def _cut_off(evidence: Evidence) -> Diagnosis | None:
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


def _related(evidence: Evidence) -> Diagnosis | None:
    """Find a relation of wrong values to right ones. Cases with overflow count only if all overflow."""
    if not _wrong_output(evidence.shown):
        return None
    sheets = [sheet for sheet in evidence.sheets if not _overflows(sheet)] or evidence.sheets
    right = any(map(_is_right, sheets))
    wrong = [replace(found, right_elsewhere=right) for sheet in sheets if (found := _wrong_output(sheet))]
    relation = find_relation(wrong, evidence.relations) if wrong else None
    return Diagnosis("relation", *relation) if relation else None


def _overflows(sheet: Sheet) -> bool:
    pairs = (_arrays(sheet, name) for name in sheet.key.expected.outputs)
    return any(pair and np.isfinite(pair[1]).all() and not np.isfinite(pair[0]).all() for pair in pairs)


def _wrong_output(sheet: Sheet) -> Wrong | None:
    for name in sheet.key.expected.outputs:
        yours, expected = _arrays(sheet, name) or (None, None)
        if yours is None or expected is None or not yours.dtype.kind == expected.dtype.kind == "f":
            continue
        if not close(yours, expected, sheet.key.tolerance):
            return Wrong(
                yours,
                expected,
                shapes.names_of(sheet.step.dims_of(name), expected.ndim),
                sheet.sizes | sheet.whole_numbers,
                {name: value for name, value in sheet.paper.inputs.items() if isinstance(value, np.ndarray)},
                sheet.key.tolerance,
                sheet.step.title_of(name),
            )
    return None


def _arrays(sheet: Sheet, name: str) -> tuple[Array, Array] | None:
    yours, expected = sheet.answer.outputs.get(name), sheet.key.expected.outputs[name]
    if not isinstance(yours, TensorValue) or not isinstance(expected, TensorValue):
        return None
    return None if yours.array is None or expected.array is None else (yours.array, expected.array)


FINDERS_BY_ANSWERS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (
    _known_mistake,
    _unbatched_only,
    lambda evidence: explain(evidence.shown),
    _written_to,
    _cut_off,
    _related,
)
"""The finders of causes in the answers, in order of precedence. `diagnosis.find` has others."""

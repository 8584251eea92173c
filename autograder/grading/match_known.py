"""The causes that show in answers alone: a known mistake, an exception that is explained, a relation to the right answer."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from autograder.course import shapes
from autograder.course.answer import LACK, Answer, Failure, PlainValue, TensorValue, Value, close
from autograder.course.tolerances import ROUNDED
from autograder.course.verdicts import Verdict
from autograder.exam.agreement import NUMBER, same_answer, same_gradients, same_outputs, same_value
from autograder.exam.model import KnownWrong
from autograder.grading.callees import CALLS_OPEN, defined_elsewhere
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import explain
from autograder.grading.relations import Relation, Wrong, find_relation
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
"""Verdicts for which there are no wrong answers to look at."""

UNSEARCHED = {*UNDIAGNOSED, Verdict.OUT_OF_MEMORY} - {Verdict.INCOMPLETE}
"""Verdicts on what answers nothing that an edit could mend in time."""

MENDED = ("not_imported", "defined_elsewhere", CALLS_OPEN)
"""Causes that say themselves what to mend first."""


def is_searched(step: StepMarks) -> bool:
    """Return whether a cause is searched for by running the step again: it is wrong in what it answers, and no cause says yet what to mend."""
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
        return next((one for one in self.sheets if not _agree(one, one.key.expected)), self.sheets[0])

    @functools.cached_property
    def is_right(self) -> bool:
        """True if the outputs of the first wrong case are right: a gradient is not, or an argument was changed."""
        return _has_outputs(self.shown, self.shown.key.expected)


def diagnose(evidence: Evidence) -> Diagnosis | None:
    """Return the likely cause of a step's wrong answers, or None. It explains the first wrong one."""
    return next((found for finder in FINDERS if (found := finder(evidence))), None)


def _known_mistake(evidence: Evidence) -> Diagnosis | None:
    known = _known(evidence)
    return Diagnosis("mistake", known.id, known.says, more=_has_more(evidence.sheets, known)) if known else None


def _exception(evidence: Evidence) -> Diagnosis | None:
    return explain(evidence.shown, evidence.definitions)


def _defined_elsewhere(evidence: Evidence) -> Diagnosis | None:
    shown = evidence.shown
    return defined_elsewhere(shown.syllabus, shown.step, shown.answer.failure, evidence.definitions)


def _known(evidence: Evidence) -> KnownWrong | None:
    """Return the known mistake that explains most, if it explains all, or enough and no other does as well."""
    scores = [_score(evidence, one) for one in evidence.known]
    best = max(scores, default=NOTHING)
    is_certain = best.everything or best.all_outputs or (best.explained >= ENOUGH and scores.count(best) == 1)
    return evidence.known[scores.index(best)] if is_certain else None


class Score(NamedTuple):
    """The score of a known mistake against the answers to a step, the most important first.

    everything, all_outputs: whether each case has its answer, gradients included, or its outputs. explained: how many wrong outputs
    and failures. fitting: how many outputs, right ones included.
    """

    everything: bool = False
    all_outputs: bool = False
    explained: int = 0
    fitting: int = 0


NOTHING = Score()
"""The score of a mistake that contradicts a right case, or that the first wrong case contradicts."""


def _score(evidence: Evidence, mistake: KnownWrong) -> Score:
    """Return how well a known mistake explains the answers: the first wrong case at least, and no right one contradicts it."""
    sheets, shown = evidence.sheets, evidence.shown
    sizes_count = all(one.failure for one in mistake.signature.values())
    if not _fits_first(shown, _by(mistake, shown), sizes_count):
        return NOTHING
    pairs = [(sheet, _by(mistake, sheet)) for sheet in sheets]
    alike = [_alike(sheet, answer, sizes_count) for sheet, answer in pairs]
    if all(alike) and all(_agree(sheet, answer) for sheet, answer in pairs):
        return Score(everything=True)
    right = [_has_outputs(sheet, sheet.key.expected) for sheet in sheets]
    # wrong outputs in later cases explain no lost gradient in the first
    if evidence.is_right or any(is_right and not is_alike for is_right, is_alike in zip(right, alike, strict=True)):
        return NOTHING
    explained, fitting, sizes = 0, 0, set[tuple[str, ...]]()
    for (sheet, answer), is_right, is_alike in zip(pairs, right, alike, strict=True):
        fits = [name for name in sheet.key.expected.outputs if _agrees(sheet, name, answer)]
        telling = [name for name in fits if not _agrees(sheet, name, sheet.key.expected) and _telling(sheet, name)]
        fitting += len(fits)
        if sheet.answer.failure:
            sizes |= {_sizes_in(sheet.answer.failure)} if is_alike else set()
        elif not is_right:
            explained += len(telling) or (is_alike and not _lacks(sheet))
    return Score(False, all(alike), explained + len(sizes - {()}), fitting)


def _lacks(sheet: Sheet) -> bool:
    """Return whether a probe misses something: what code lacks that does nothing shows no mistake."""
    return any(isinstance(one, PlainValue) and one.type == LACK for one in sheet.answer.outputs.values())


def _fits_first(shown: Sheet, answer: Answer, sizes_count: bool) -> bool:
    """Return whether a mistake explains what is reported of the first wrong case: its failure, or its first wrong output."""
    if shown.answer.failure or answer.failure or _alike(shown, answer, sizes_count):
        return _alike(shown, answer, sizes_count)
    wrong = _wrong_outputs(shown)
    return not wrong or _agrees(shown, min(wrong, key=lambda name: _told_at(shown, name)), answer)


def _alike(sheet: Sheet, answer: Answer, sizes_count: bool) -> bool:
    """Return whether a case has the outputs of a mistake, or fails as that does; sizes_count: for the same sizes."""
    yours, theirs = sheet.answer.failure, answer.failure
    same_sizes = not sizes_count or not yours or not theirs or _sizes_in(yours) == _sizes_in(theirs)
    return _has_outputs(sheet, answer) and same_sizes


def _sizes_in(failure: Failure) -> tuple[str, ...]:
    """Return the numbers of a failure's message in order of size: which of two torch names first depends on the call."""
    return tuple(sorted(NUMBER.findall(failure.message)))


def _has_more(sheets: Sequence[Sheet], known: KnownWrong) -> bool:
    """Return whether something is wrong beside a known mistake. Where one of both raises, that may be due to how it is written."""
    for sheet in sheets:
        yours, theirs, tolerance = sheet.answer, _by(known, sheet), sheet.key.tolerance
        if same_outputs(yours, theirs, tolerance):
            if not any(same_gradients(yours, one, tolerance) for one in (theirs, sheet.key.expected)):
                return True
        elif not yours.failure and not theirs.failure and not _has_outputs(sheet, sheet.key.expected):
            return True
    return False


def _agree(sheet: Sheet, answer: Answer) -> bool:
    """Return whether a case was answered as another answer is, gradients included."""
    return same_answer(sheet.answer, answer, sheet.key.tolerance)


def _has_outputs(sheet: Sheet, answer: Answer) -> bool:
    """Return whether the answer to a case has the outputs of another, or failed in the same way."""
    return same_outputs(sheet.answer, answer, sheet.key.tolerance)


def _wrong_outputs(sheet: Sheet) -> list[str]:
    return [name for name in sheet.key.expected.outputs if not _agrees(sheet, name, sheet.key.expected)]


def _by(mistake: KnownWrong, sheet: Sheet) -> Answer:
    """Return what a known mistake answers in a case."""
    return mistake.signature.get(sheet.paper.path, sheet.key.expected)


def _told_at(sheet: Sheet, name: str) -> int:
    """Return when a wrong output is reported, among those of its case: a wrong shape, then a wrong type, then wrong numbers."""
    yours, expected = sheet.answer.outputs.get(name), sheet.key.expected.outputs[name]
    if not isinstance(yours, TensorValue) or not isinstance(expected, TensorValue):
        return 2 if isinstance(yours, PlainValue) and isinstance(expected, PlainValue) else 1
    return 0 if yours.shape != expected.shape else 1 if yours.dtype != expected.dtype else 2


def _agrees(sheet: Sheet, name: str, answer: Answer) -> bool:
    """Return whether an output of a case is that of another answer."""
    yours, other = sheet.answer.outputs.get(name), answer.outputs.get(name)
    return bool(yours and other and same_value(yours, other, sheet.key.tolerance))


def _telling(sheet: Sheet, name: str) -> bool:
    """Return whether two answers hardly have the same in an output by accident: not if that is yes or no, or a few whole numbers."""
    yours = sheet.answer.outputs[name]
    if not isinstance(yours, TensorValue):
        return yours.type in ("int", "float", "str")
    is_whole = yours.dtype.startswith(("int", "uint"))
    return yours.dtype.startswith("float") or (is_whole and yours.array is not None and yours.array.size >= FEW)


def _overflows(sheet: Sheet) -> bool:
    """Return whether an output has nan or infinity where finite numbers were expected."""
    arrays = [
        (expected.array, yours.array)
        for name, expected in sheet.key.expected.outputs.items()
        if isinstance(expected, TensorValue) and isinstance(yours := sheet.answer.outputs.get(name), TensorValue)
    ]
    return any(
        expected is not None
        and yours is not None
        and bool(np.isfinite(expected).all() and not np.isfinite(yours).all())
        for expected, yours in arrays
    )


def _unbatched_only(evidence: Evidence) -> Diagnosis | None:
    """Right without leading dimensions, but an exception with them."""
    sheets = evidence.sheets
    plain = [sheet for sheet in sheets if not _has_batch(sheet)]
    batched = [sheet for sheet in sheets if _has_batch(sheet)]
    right = all(_has_outputs(sheet, sheet.key.expected) for sheet in plain)
    if plain and batched and right and all(sheet.answer.failure for sheet in batched):
        word = sheets[0].syllabus.words.slices.get(shapes.BATCH)
        return Diagnosis(
            "relation",
            "unbatched_only",
            f"Right {f'for one {word}' if word else 'by itself'}, but it fails with a batch in front. Count dimensions from the end: "
            "`transpose(-2, -1)`, `dim=-1`, `shape[-1]`.",
        )
    return None


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
    for sheet in evidence.sheets:
        for name, expected in sheet.key.expected.outputs.items():
            yours = sheet.answer.outputs.get(name)
            if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
                continue
            if expected.array is None or yours.array is None or not close(yours.array, expected.array, ROUNDED):
                return None
            if expected.dtype != yours.dtype:
                dtypes.add(yours.dtype)
            if not expected.dtype.startswith("float"):
                return None
    if len(dtypes) != 1:
        return None
    return Diagnosis(
        "relation",
        "fixed_dtype",
        f"Right numbers, but always in {dtypes.pop()}. `torch.zeros(n)`, `torch.empty(n)` and `torch.tensor(...)` make float32 "
        "by default: pass `dtype=x.dtype`; what you convert, convert back (`.to(x.dtype)`).",
    )


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
    wrong = _wrong_outputs(shown)
    outputs = shown.key.expected.outputs.items()
    expected = {name: one for name, one in outputs if isinstance(one, TensorValue) and _has_different_numbers(one)}
    for name in wrong:
        yours = shown.answer.outputs.get(name)
        for other in (one for one in expected if one != name and name in expected):
            is_of_its_shape = expected[other].shape == expected[name].shape
            if is_of_its_shape and yours is not None and same_value(yours, expected[other], shown.key.tolerance):
                says = f"Your `{name}` has the numbers that `{other}` should have: one is taken for the other."
                return Diagnosis("relation", "changed_places", says)
    return None


def _has_different_numbers(value: Value) -> bool:
    """Return whether a tensor has so many different numbers that another one hardly has them by accident."""
    if not isinstance(value, TensorValue) or value.array is None or value.array.dtype.kind != "f":
        return False
    return len(np.unique(value.array)) > ENOUGH


def _related(evidence: Evidence) -> Diagnosis | None:
    """The relation of wrong numbers to the right ones, if the first wrong answer has numbers. An overflow shows none."""
    if not _wrong_output(evidence.shown):
        return None
    sheets = [sheet for sheet in evidence.sheets if not _overflows(sheet)] or evidence.sheets
    right = any(_has_outputs(sheet, sheet.key.expected) for sheet in sheets)
    wrong = [replace(found, right_elsewhere=right) for sheet in sheets if (found := _wrong_output(sheet))]
    relation = find_relation(wrong, evidence.relations) if wrong else None
    return Diagnosis("relation", *relation) if relation else None


def _wrong_output(sheet: Sheet) -> Wrong | None:
    """Return the first output of a case that is a tensor with wrong numbers or a wrong shape."""
    for name, expected in sheet.key.expected.outputs.items():
        yours = sheet.answer.outputs.get(name)
        if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
            continue
        if expected.array is None or yours.array is None or same_value(yours, expected, sheet.key.tolerance):
            continue
        if yours.array.dtype.kind != "f" or expected.array.dtype.kind != "f":
            continue
        if close(yours.array, expected.array, sheet.key.tolerance):
            continue
        inputs = {given: value for given, value in sheet.paper.inputs.items() if isinstance(value, np.ndarray)}
        dims = shapes.names_of(sheet.dims_of(name), len(expected.shape))
        title = sheet.title_of(name)
        numbers = sheet.sizes | sheet.whole_numbers
        return Wrong(
            yours.array, expected.array, dims, numbers, inputs, sheet.key.tolerance, sheet.syllabus.words, title
        )
    return None


FINDERS: tuple[Callable[[Evidence], Diagnosis | None], ...] = (
    _known_mistake,
    _unbatched_only,
    _exception,
    _written_to,
    _fixed_dtype,
    _cut_off,
    _changed_places,
    _related,
    _defined_elsewhere,
)
"""From the answers to a cause or nothing, in the order in which they are asked. What the step does is looked into after that."""

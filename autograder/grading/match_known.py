"""Finding the likely cause of a wrong step: a known mistake by its fingerprint, else a general relation."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from autograder.course import shapes
from autograder.course.answer import Answer, Failure, PlainValue, TensorValue, Value, close
from autograder.exam.agreement import NUMBER, same_answer, same_gradients, same_outputs, same_value
from autograder.exam.model import Fingerprint
from autograder.grading.checks import Sheet
from autograder.grading.exceptions import explain
from autograder.grading.relations import Relation, Wrong, find_relation
from autograder.grading.results import Diagnosis
from autograder.submission.parsed import Definitions

Matches = Callable[[Sequence[Sheet], Fingerprint], bool]


def diagnose(
    sheets: Sequence[Sheet],
    fingerprints: Sequence[Fingerprint],
    relations: Sequence[Relation],
    definitions: Definitions,
) -> Diagnosis | None:
    """Return the likely cause of a step's wrong answers, or None. It explains the first wrong one, which students see.

    fingerprints: of mistakes in this step. definitions: those of the submission.
    """
    shown = _first_wrong(sheets)
    finite = [sheet for sheet in sheets if not _overflows(sheet)]
    with_numbers = [sheet for sheet in sheets if _has_numbers(sheet)]
    # Wrong outputs in later cases do not explain a lost gradient or a changed argument in the first.
    right = same_outputs(shown.answer, shown.key.expected, shown.key.tolerance)
    of_outputs = () if right else fingerprints
    known = (
        _known(sheets, fingerprints, _in_everything)
        or _known(sheets, of_outputs, _in_outputs)
        # Of two faults, the one that is not an overflow is reported first, or the one that shows in numbers.
        or _known_in_most(sheets, finite, of_outputs, shown)
        or _known_in_most(sheets, with_numbers, of_outputs, shown)
        or _known_at_first(sheets, of_outputs, shown)
        or _known_by_failures(sheets, of_outputs, shown)
    )
    if known:
        more = any(_differs(sheet, name, _by(known, sheet)) for sheet, name in _wrong_outputs(sheets)) or any(
            _has_another_gradient(sheet, _by(known, sheet)) for sheet in sheets
        )
        return Diagnosis("mistake", known.id, known.says, more=more)
    return (
        _unbatched_only(sheets)
        or explain(shown, definitions)
        or _written_to(shown)
        or _fixed_dtype(sheets, shown)
        or _cut_off(shown)
        or _changed_places(shown)
        or _related(finite or sheets, shown, relations)
    )


def _first_wrong(sheets: Sequence[Sheet]) -> Sheet:
    return next(
        (sheet for sheet in sheets if not same_answer(sheet.answer, sheet.key.expected, sheet.key.tolerance)), sheets[0]
    )


def _known(sheets: Sequence[Sheet], fingerprints: Sequence[Fingerprint], matches: Matches) -> Fingerprint | None:
    return next((one for one in fingerprints if matches(sheets, one) and not _fails_otherwise(sheets, one)), None)


def _fails_otherwise(sheets: Sequence[Sheet], fingerprint: Fingerprint) -> bool:
    """Return whether a mistake shows in failures alone, and these have other sizes than the submission's.

    Where there are numbers too, a failure of the same kind is enough.
    """
    pairs = [
        (sheet.answer.failure, answer.failure)
        for sheet in sheets
        if (answer := fingerprint.answers.get(sheet.paper.path))
    ]
    return all(theirs for _, theirs in pairs) and any(
        yours and theirs and _sizes_in(yours) != _sizes_in(theirs) for yours, theirs in pairs
    )


def _sizes_in(failure: Failure) -> list[str]:
    """Return the numbers of a failure's message in order of size: which of two torch names first depends on the call."""
    return sorted(NUMBER.findall(failure.message))


def _known_in_most(
    sheets: Sequence[Sheet], some: Sequence[Sheet], fingerprints: Sequence[Fingerprint], shown: Sheet
) -> Fingerprint | None:
    """Look for a known mistake in some of the cases only; a few of them alone would fit too many."""
    return _known(some, fingerprints, _in_outputs) if 2 * len(some) >= len(sheets) and shown in some else None


ENOUGH = 2
"""Outputs that must be those of a known mistake when others are not: one alone may be an accident."""


FEW = 8
"""So many whole numbers are hardly the same by accident."""


def _known_at_first(sheets: Sequence[Sheet], fingerprints: Sequence[Fingerprint], shown: Sheet) -> Fingerprint | None:
    """Look for a known mistake that gives the first wrong output, which students see, while something else is wrong after that.

    Nothing is right that would be wrong by it, and of several the one that explains most is taken.
    """
    outputs = [(sheet, name) for sheet in sheets for name in sheet.key.expected.outputs]
    wrong = _wrong_outputs(sheets)
    right = [one for one in outputs if one not in wrong]
    first = min((one for one in wrong if one[0] is shown), key=_told_at, default=None)
    if shown.answer.failure or not first:
        return None
    explained = {
        number: [_agrees(sheet, name, _by(one, sheet)) and _telling(sheet, name) for sheet, name in wrong].count(True)
        for number, one in enumerate(fingerprints)
        if _agrees(*first, _by(one, shown)) and all(_agrees(sheet, name, _by(one, sheet)) for sheet, name in right)
    }
    best = [number for number, count in explained.items() if count == max(explained.values())]
    if len(best) != 1 or explained[best[0]] < ENOUGH:
        return None
    return fingerprints[best[0]]


def _known_by_failures(
    sheets: Sequence[Sheet], fingerprints: Sequence[Fingerprint], shown: Sheet
) -> Fingerprint | None:
    """Look for the one known mistake that raises for the same sizes in the first wrong case, in most others in which the submission
    raises, and in none in which it does not.
    """
    raised = [sheet for sheet in sheets if sheet.answer.failure]
    found = []
    for one in fingerprints:
        alike = [sheet for sheet in raised if _raises_alike(sheet, _by(one, sheet))]
        sizes = {tuple(_sizes_in(sheet.answer.failure)) for sheet in alike if sheet.answer.failure} - {()}
        elsewhere = any(_by(one, sheet).failure for sheet in sheets if not sheet.answer.failure)
        if (
            any(one is shown for one in alike)
            and 2 * len(alike) > len(raised)
            and len(sizes) >= ENOUGH
            and not elsewhere
        ):
            found.append(one)
    return found[0] if len(found) == 1 else None


def _raises_alike(sheet: Sheet, other: Answer) -> bool:
    yours, theirs = sheet.answer.failure, other.failure
    same = yours and theirs and same_outputs(sheet.answer, other, sheet.key.tolerance)
    return bool(yours and theirs and same and _sizes_in(yours) == _sizes_in(theirs))


def _wrong_outputs(sheets: Sequence[Sheet]) -> list[tuple[Sheet, str]]:
    outputs = ((sheet, name) for sheet in sheets for name in sheet.key.expected.outputs)
    return [(sheet, name) for sheet, name in outputs if not _agrees(sheet, name, sheet.key.expected)]


def _by(mistake: Fingerprint, sheet: Sheet) -> Answer:
    """Return what a known mistake answers in a case."""
    return mistake.answers.get(sheet.paper.path, sheet.key.expected)


def _told_at(output: tuple[Sheet, str]) -> int:
    """Return when a wrong output is told of, among those of its case: first a wrong shape, then a wrong type, then wrong numbers."""
    sheet, name = output
    yours, expected = sheet.answer.outputs.get(name), sheet.key.expected.outputs[name]
    if not isinstance(yours, TensorValue) or not isinstance(expected, TensorValue):
        return 2 if isinstance(yours, PlainValue) and isinstance(expected, PlainValue) else 1
    return 0 if yours.shape != expected.shape else 1 if yours.dtype != expected.dtype else 2


def _differs(sheet: Sheet, name: str, answer: Answer) -> bool:
    """Return whether an output is another than a mistake's. Where one of them raises, that may be due to how it is written."""
    return not sheet.answer.failure and not answer.failure and not _agrees(sheet, name, answer)


def _has_another_gradient(sheet: Sheet, answer: Answer) -> bool:
    """Return whether a case has the outputs of a mistake, but gradients that neither the mistake nor a right answer has."""
    yours, expected, tolerance = sheet.answer, sheet.key.expected, sheet.key.tolerance
    return same_outputs(yours, answer, tolerance) and not any(
        same_gradients(yours, one, tolerance) for one in (answer, expected)
    )


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


def _has_numbers(sheet: Sheet) -> bool:
    """Return whether tensors are expected of a case, and the answer has them in the expected dtypes."""
    dtypes = {name: one.dtype for name, one in sheet.key.expected.outputs.items() if isinstance(one, TensorValue)}
    yours = sheet.answer.outputs
    return bool(dtypes) and all(getattr(yours.get(name), "dtype", None) == dtype for name, dtype in dtypes.items())


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


def _in_everything(sheets: Sequence[Sheet], fingerprint: Fingerprint) -> bool:
    """Return whether every case was answered as the mistake answers it, gradients included."""
    return all(
        same_answer(sheet.answer, fingerprint.answers.get(sheet.paper.path, sheet.key.expected), sheet.key.tolerance)
        for sheet in sheets
    )


def _in_outputs(sheets: Sequence[Sheet], fingerprint: Fingerprint) -> bool:
    """Return whether every case has the mistake's outputs, and these are wrong somewhere."""
    telling = False
    for sheet in sheets:
        answer = fingerprint.answers.get(sheet.paper.path)
        if not same_outputs(sheet.answer, answer or sheet.key.expected, sheet.key.tolerance):
            return False
        telling = telling or bool(answer and not same_outputs(answer, sheet.key.expected, sheet.key.tolerance))
    return telling


def _unbatched_only(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """Right without leading dimensions, but an exception with them."""
    plain = [sheet for sheet in sheets if not _has_batch(sheet)]
    batched = [sheet for sheet in sheets if _has_batch(sheet)]
    right = all(same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance) for sheet in plain)
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


def _written_to(shown: Sheet) -> Diagnosis | None:
    """The inputs were changed. If the step raised, that is no explanation."""
    changed = shown.answer.changed_inputs
    if not changed or shown.answer.failure:
        return None
    return Diagnosis(
        "relation",
        "changed_inputs",
        f"Your code changes {', '.join(f'`{name}`' for name in changed)}: `+=`, `*=`, `x[...] = ...` and methods that end in `_` "
        "write into the tensor itself. Make a new one, as in `a = a * b`.",
    )


def _fixed_dtype(sheets: Sequence[Sheet], shown: Sheet) -> Diagnosis | None:
    """The numbers are right, but their type does not follow that of the inputs."""
    if same_outputs(shown.answer, shown.key.expected, shown.key.tolerance) or shown.answer.failure:
        return None
    dtypes = set()
    for sheet in sheets:
        for name, expected in sheet.key.expected.outputs.items():
            yours = sheet.answer.outputs.get(name)
            if not isinstance(expected, TensorValue) or not isinstance(yours, TensorValue):
                continue
            if expected.array is None or yours.array is None or not close(yours.array, expected.array, 1e-3, 1e-4):
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


def _cut_off(shown: Sheet) -> Diagnosis | None:
    """Right numbers, but a gradient does not reach an input or a parameter."""
    if shown.answer.gradient_error or not same_outputs(shown.answer, shown.key.expected, shown.key.tolerance):
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


def _changed_places(shown: Sheet) -> Diagnosis | None:
    """One of several outputs has the numbers that another should have."""
    wrong = [name for _, name in _wrong_outputs([shown])]
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


def _related(sheets: Sequence[Sheet], shown: Sheet, relations: Sequence[Relation]) -> Diagnosis | None:
    """How wrong numbers are related to the right ones, if the first wrong answer is one of numbers."""
    if not _wrong_output(shown):
        return None
    right = any(same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance) for sheet in sheets)
    wrong = [replace(found, right_elsewhere=right) for sheet in sheets if (found := _wrong_output(sheet))]
    relation = find_relation(wrong, relations) if wrong else None
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
        if close(yours.array, expected.array, sheet.key.tolerance.rtol, sheet.key.tolerance.atol):
            continue
        inputs = {given: value for given, value in sheet.paper.inputs.items() if isinstance(value, np.ndarray)}
        dims = shapes.names_of(sheet.dims_of(name), len(expected.shape))
        title = sheet.title_of(name)
        numbers = sheet.sizes | sheet.whole_numbers
        return Wrong(
            yours.array, expected.array, dims, numbers, inputs, sheet.key.tolerance, sheet.syllabus.words, title
        )
    return None

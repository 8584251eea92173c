"""Finding the likely cause of a wrong step: a known mistake by its fingerprint, else a general relation."""

from collections.abc import Callable, Sequence

import numpy as np

from autograder.course import shapes
from autograder.course.answer import TensorValue, close
from autograder.exam.agreement import same_answer, same_outputs, same_value
from autograder.exam.model import Fingerprint
from autograder.marking.checks import Sheet
from autograder.marking.marks import Diagnosis
from autograder.marking.relations import Wrong, find_relation

Matches = Callable[[Sequence[Sheet], Fingerprint], bool]


def diagnose(sheets: Sequence[Sheet], fingerprints: Sequence[Fingerprint]) -> Diagnosis | None:
    """Return the likely cause of a step's wrong answers, or None."""
    finite = [sheet for sheet in sheets if not _overflows(sheet)]
    with_numbers = [sheet for sheet in sheets if not sheet.answer.failure and _expects_numbers(sheet)]
    return (
        _known(sheets, fingerprints, _in_everything)
        or _known(sheets, fingerprints, _in_outputs)
        # Where two faults meet, the one that is no overflow is told first, or the one that shows in numbers.
        or _known_in_most(sheets, finite, fingerprints)
        or _known_in_most(sheets, with_numbers, fingerprints)
        or _told_by_torch(sheets)
        or _one_sentence_only(sheets)
        or _written_to(sheets)
        or _fixed_dtype(sheets)
        or _cut_off(sheets)
        or _related(finite or sheets)
    )


def _known(sheets: Sequence[Sheet], fingerprints: Sequence[Fingerprint], matches: Matches) -> Diagnosis | None:
    found = next((one for one in fingerprints if matches(sheets, one)), None)
    return Diagnosis("mistake", found.id, found.says) if found else None


def _known_in_most(
    sheets: Sequence[Sheet], some: Sequence[Sheet], fingerprints: Sequence[Fingerprint]
) -> Diagnosis | None:
    """Look for a known mistake in some of the cases only; a few of them alone would fit too many."""
    return _known(some, fingerprints, _in_outputs) if 2 * len(some) >= len(sheets) else None


TORCH_SAYS = {
    "masked_fill": (
        "only supports boolean masks",
        "This mask holds numbers, not booleans: `mask.bool()`, or `mask == 1`.",
    ),
    "view": (
        "view size is not compatible",
        "`view` wants the numbers to lie in memory as they are named, and after a `transpose` they do not: use `reshape`.",
    ),
    "inplace": (
        "modified by an inplace operation",
        "Something was written into (`+=`, `x[...] = ...`, a method that ends in `_`) that going backward still needs. "
        "Make a new tensor.",
    ),
}
"""What torch's own errors mean: a part of the message, and what to do."""


def _told_by_torch(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """One of torch's own errors that a student meets often."""
    messages = [
        sheet.answer.failure.message if sheet.answer.failure else sheet.answer.gradient_error for sheet in sheets
    ]
    for name, (part, says) in TORCH_SAYS.items():
        if any(part in message for message in messages):
            return Diagnosis("relation", f"torch_{name}", says)
    return None


def _expects_numbers(sheet: Sheet) -> bool:
    return any(isinstance(expected, TensorValue) for expected in sheet.key.expected.outputs.values())


def _overflows(sheet: Sheet) -> bool:
    """Tell whether an output has nan or infinity where finite numbers were expected."""
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
    """Tell whether every case was answered as the mistake answers it, gradients included."""
    return all(
        same_answer(sheet.answer, fingerprint.answers.get(sheet.paper.path, sheet.key.expected), sheet.key.tolerance)
        for sheet in sheets
    )


def _in_outputs(sheets: Sequence[Sheet], fingerprint: Fingerprint) -> bool:
    """Tell whether every case has the mistake's outputs, and these are wrong somewhere."""
    telling = False
    for sheet in sheets:
        answer = fingerprint.answers.get(sheet.paper.path)
        if not same_outputs(sheet.answer, answer or sheet.key.expected, sheet.key.tolerance):
            return False
        telling = telling or bool(answer and not same_outputs(answer, sheet.key.expected, sheet.key.tolerance))
    return telling


def _one_sentence_only(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """Right without leading dimensions, but an exception with them."""
    plain = [sheet for sheet in sheets if not _has_batch(sheet)]
    batched = [sheet for sheet in sheets if _has_batch(sheet)]
    right = all(same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance) for sheet in plain)
    if plain and batched and right and all(sheet.answer.failure for sheet in batched):
        return Diagnosis(
            "relation",
            "one_sentence_only",
            "Right for one sentence, but it fails with a batch in front. Count dimensions from the end: "
            "`transpose(-2, -1)`, `dim=-1`, `shape[-1]`.",
        )
    return None


def _has_batch(sheet: Sheet) -> bool:
    return any(
        shapes.LEADING in dims and len(sheet.key.shapes.get(name, ())) > max(shapes.rank_of(dims), 2)
        for name, dims in sheet.step.arguments.items()
    )


def _written_to(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """The inputs were changed."""
    changed = sorted({name for sheet in sheets for name in sheet.answer.changed_inputs})
    if not changed:
        return None
    return Diagnosis(
        "relation",
        "changed_inputs",
        f"Your code changes {', '.join(f'`{name}`' for name in changed)}: `*=`, `-=`, `x[...] = ...` and methods that end in `_` "
        "write into the tensor itself. Make a new one, as in `a = a * b`.",
    )


def _fixed_dtype(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """The numbers are right, but their type does not follow that of the inputs."""
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
        "unless told otherwise (`dtype=x.dtype`); what you convert, convert back (`.to(x.dtype)`).",
    )


def _cut_off(sheets: Sequence[Sheet]) -> Diagnosis | None:
    """Right numbers, but a gradient does not reach an input or a parameter."""
    if not all(same_outputs(sheet.answer, sheet.key.expected, sheet.key.tolerance) for sheet in sheets):
        return None
    if any(sheet.answer.gradient_error for sheet in sheets):
        return None
    lost = {
        name
        for sheet in sheets
        for name, wanted in sheet.key.expected.gradients.items()
        if wanted is not None and sheet.answer.gradients.get(name) is None
    }
    if not lost:
        return None
    return Diagnosis(
        "relation",
        "detached",
        f"No gradient reaches {', '.join(f'`{name}`' for name in sorted(lost))}. `.detach()`, `.data`, `.item()`, `.tolist()`, "
        "`torch.tensor(...)`, NumPy and `torch.no_grad()` all cut the computation off.",
    )


def _related(sheets: Sequence[Sheet]) -> Diagnosis | None:
    wrong = [found for sheet in sheets if (found := _wrong_output(sheet))]
    relation = find_relation(wrong) if wrong else None
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
        return Wrong(yours.array, expected.array, dims, sheet.sizes, inputs, sheet.key.tolerance)
    return None

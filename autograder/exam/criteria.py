"""What a step's points are given for: its values, what its author names beside them, and the side conditions that every step has."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from autograder.course.model import Case, Criterion, Step

VALUES = "values"
FORM = "shape and dtype"
GRADIENTS = "gradients"
UNTOUCHED = "inputs untouched"

SIDE_CONDITIONS = {FORM: 0.15, GRADIENTS: 0.1, UNTOUCHED: 0.1}
"""The shares of what every step has to keep beside its values. Those that an author does not set shrink where there is no room for them."""

HINTS = {
    FORM: "Print the shape and the dtype of what you return beside those in the docstring: the numbers are right.",
    GRADIENTS: "The numbers are right, but no gradient comes back through them: look for `.item()`, `.detach()`, `float(...)`, "
    "`torch.tensor(...)` of a tensor, or a way through NumPy.",
    UNTOUCHED: "The numbers are right, but the argument is another one afterwards. `+=`, `x[...] = ...` and methods that end in `_` change "
    "the tensor that they are given: make another one.",
}
"""What is hinted at where a side condition is lost alone."""

LEAST, MOST, MOST_OF_SIDE_CONDITION = 0.05, 0.25, 0.4
AT_LEAST_FOR_VALUES = 0.5


def criteria_of(step: Step, takes_tensors: bool, hints: Mapping[str, str] | None = None) -> tuple[Criterion, ...]:
    """Return all criteria of a step, its values first. Their shares add up to 1.

    takes_tensors: whether it is given any: else there are no gradients to compare, and nothing to write into.
    hints: the course's own, by name.
    """
    hinted = HINTS | dict(hints or {})
    set_ones = {criterion.name for criterion in step.criteria}
    kept = {FORM: True, GRADIENTS: step.gradients and takes_tensors, UNTOUCHED: takes_tensors}
    usual = {name: share for name, share in SIDE_CONDITIONS.items() if kept[name] and name not in set_ones}
    room = 1 - AT_LEAST_FOR_VALUES - sum(criterion.share for criterion in step.criteria)
    shrunk = min(1.0, max(room, 0.0) / sum(usual.values())) if usual else 1.0
    beside = (*step.criteria, *(Criterion(name, share * shrunk) for name, share in usual.items() if shrunk))
    values = Criterion(VALUES, 1 - sum(criterion.share for criterion in beside))
    return values, *(replace(criterion, hint=hinted.get(criterion.name, "")) for criterion in beside)


def problems_of(step: Step) -> Iterator[str]:
    """Yield what is wrong with the criteria that an author names."""
    for criterion in step.criteria:
        side = criterion.name in SIDE_CONDITIONS
        most = MOST_OF_SIDE_CONDITION if side else MOST
        what = f"criterion {criterion.name!r}"
        if criterion.name == VALUES:
            yield f"{what} gets what the others leave: remove it"
        elif not LEAST <= criterion.share <= most:
            yield f"{what} has a share of {criterion.share}; expected one from {LEAST} to {most}"
        elif side == bool(criterion.cases or criterion.outputs):
            yield (
                f"{what} holds in all cases or not; remove its cases and outputs"
                if side
                else (f"{what} has neither cases nor outputs; name some, or nothing can be earned by it")
            )
    for names in zip(*(({one.name}, {*one.cases}, {*one.outputs}) for one in step.criteria), strict=True):
        counts = Counter(name for several in names for name in several)
        yield from (f"two criteria have {name!r}; leave it to one" for name, count in counts.items() if count > 1)
    if sum(criterion.share for criterion in step.criteria) > 1 - AT_LEAST_FOR_VALUES:
        yield f"its criteria have more than {1 - AT_LEAST_FOR_VALUES:.0%} of the points; leave the rest to its values"


def problems_with_names(step: Step, outputs: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Say what criteria name that is not there. outputs: the names of the outputs of each case."""
    known = {
        "case": tuple(outputs),
        "output": tuple(dict.fromkeys(name for names in outputs.values() for name in names)),
    }
    for criterion in step.criteria:
        for kind, names in (("case", criterion.cases), ("output", criterion.outputs)):
            for name in names:
                if name not in known[kind]:
                    yield f"criterion {criterion.name!r} names the {kind} {name!r}; expected one of: {', '.join(known[kind])}"
    cases = {name for criterion in step.criteria for name in criterion.cases}
    taken = {name for criterion in step.criteria for name in criterion.outputs}
    if not any(case not in cases and set(names) - taken for case, names in outputs.items()):
        yield "its criteria name every case or every output; leave one for the values"


def criterion_of_case(step: Step, case: Case) -> str:
    """Return the criterion to which a case belongs: that which names it, or else the one of which it is a repetition."""
    for name in (case.name, case.repeats):
        for criterion in step.criteria:
            if name in criterion.cases:
                return criterion.name
    return VALUES
